// What the scripts here share: TAP, programs that run for the time of a test, checks of what was
// written down. usage of the scripts: node SCRIPT TREFOIL
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readLog, validate } from './validate.mjs';

export const here = dirname(fileURLToPath(import.meta.url));
export const trefoil = resolve(process.argv[2]);
// Its sockets are in it, and the path of a socket has at most 107 bytes.
export const root = await mkdtemp(join(tmpdir().length > 30 ? '/tmp' : tmpdir(), 'trefoil-peers-'));
// Nothing of the user's is read or written; clients over stdio hand only HOME to what they start.
process.env.HOME = await mkdtemp(`${root}.home-`);
for (const name of ['XDG_STATE_HOME', 'TREFOIL_STATE_DIR', 'STATE_DIRECTORY']) delete process.env[name];
const children = [];
let count = 0, failed = 0;

export async function test(name, run) {
  try {
    await run();
    console.log(`ok ${++count} - ${name}`);
  } catch (e) {
    failed++;
    console.log(`not ok ${++count} - ${name}`);
    for (const line of String(e.stack ?? e).split('\n')) console.log(`# ${line}`);
  }
}

export function equal(got, want) {
  const [g, w] = [JSON.stringify(got), JSON.stringify(want)];
  if (g !== w) throw new Error(`got ${g}, want ${w}`);
}

export function has(text, part) {
  if (!text.includes(part)) throw new Error(`${JSON.stringify(part)} is not in ${JSON.stringify(text)}`);
}

// Start a program and wait for the line of its stdout or stderr that matches; gives the match.
export async function start(pattern, command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  children.push(child);
  return await new Promise((done, broken) => {
    const look = line => { const found = line.match(pattern); if (found) done(found); };
    createInterface({ input: child.stdout }).on('line', look);
    createInterface({ input: child.stderr }).on('line', look);
    child.on('exit', code => broken(new Error(`${command} ${args[0]} ended with ${code}`)));
  });
}

// `trefoil serve` in the root; its URL of MCP.
export async function serve(...args) {
  const found = await start(/http:\S+\/mcp/, trefoil,
    ['serve', '--listen', '127.0.0.1:0', '--root', root, ...args]);
  return found[0];
}

// For programs that must be told one: a port nobody has now.
export async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise(ready => server.on('listening', ready));
  const { port } = server.address();
  await new Promise(closed => server.close(closed));
  return port;
}

// Everything that `from` said in this log is valid, and at least so many messages.
export function allValid(log, from, least) {
  const { checked, unknown, wrong } = validate(readLog(log), from);
  equal({ unknown, wrong }, { unknown: 0, wrong: [] });
  if (checked < least) throw new Error(`only ${checked} messages were seen`);
}

// Send SIGTERM and wait: a program may write into the folders until it has ended.
const ended = child => child.exitCode !== null || child.signalCode !== null ? undefined
  : new Promise(done => { child.on('exit', done); child.kill(); });

export async function finish() {
  await Promise.all(children.map(ended));
  await rm(root, { recursive: true });
  await rm(process.env.HOME, { recursive: true });
  console.log(`1..${count}`);
  process.exit(failed ? 1 : 0);
}
