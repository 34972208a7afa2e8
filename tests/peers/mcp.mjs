// Real MCP clients against a build of trefoil: the official TypeScript client in its modes that
// open with a handshake, and the inspector's command line, over stdio and over HTTP. Prints TAP.
// usage: node mcp.mjs TREFOIL
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const trefoil = resolve(process.argv[2]);
const root = await mkdtemp(join(tmpdir(), 'trefoil-peers-'));
await writeFile(join(root, 'hello.txt'), 'hello from the root\n');
const stdio = { command: trefoil, args: ['mcp', '--scope', 'tools', '--root', root] };

let count = 0, failed = 0;
async function test(name, run) {
  try {
    await run();
    console.log(`ok ${++count} - ${name}`);
  } catch (e) {
    failed++;
    console.log(`not ok ${++count} - ${name}`);
    for (const line of String(e.stack ?? e).split('\n')) console.log(`# ${line}`);
  }
}
function equal(got, want) {
  const [g, w] = [JSON.stringify(got), JSON.stringify(want)];
  if (g !== w) throw new Error(`got ${g}, want ${w}`);
}

async function serve() {
  const child = spawn(trefoil, ['serve', '--listen', '127.0.0.1:0', '--root', root]);
  for await (const line of createInterface({ input: child.stdout })) {
    const url = line.match(/http:\S+\/mcp/);
    if (url) return { child, url: url[0] };
  }
  throw new Error('trefoil does not serve');
}

async function use(mode, transport) {
  const client = new Client({ name: 'peers', version: '1' },
    mode ? { versionNegotiation: { mode } } : {});
  await client.connect(transport);
  equal(client.getNegotiatedProtocolVersion(), '2025-11-25');
  equal((await client.listTools()).tools.map(t => t.name), ['file_read', 'system_time']);
  const read = await client.callTool({ name: 'file_read', arguments: { path: 'hello.txt' } });
  equal(read.content, [{ type: 'text', text: 'hello from the root\n' }]);
  const time = await client.callTool({ name: 'system_time', arguments: {} });
  equal(typeof time.structuredContent.unixMs, 'number');
  const none = await client.callTool({ name: 'file_read', arguments: { path: 'none' } });
  equal(none.isError, true);
  const wrong = await client.callTool({ name: 'nobody', arguments: {} }).then(() => 0, e => e.code);
  equal(wrong, -32602);
  await client.ping();
  const many = await Promise.all(Array.from({ length: 100 }, () =>
    client.callTool({ name: 'file_read', arguments: { path: 'hello.txt' } })));
  equal(many.every(r => r.content[0].text === 'hello from the root\n'), true);
  await client.close();
}

async function inspect(...target) {
  const run = (...args) => promisify(execFile)(process.execPath, [
    join(here, 'node_modules/.bin/mcp-inspector'), '--cli', '-q', '--format', 'json',
    '--protocol-era', 'legacy', ...args, ...target], { env: { ...process.env, HOME: join(root, 'home') } });
  const list = await run('--strict', '--method', 'tools/list');
  equal(list.stdout.includes('"system_time"'), true);
  const call = await run('--method', 'tools/call', '--tool-name', 'file_read',
    '--tool-args-json', '{"path":"hello.txt"}');
  equal(call.stdout.includes('hello from the root'), true);
}

const server = await serve();
const over = {
  stdio: () => new StdioClientTransport({ ...stdio, stderr: 'inherit' }),
  HTTP: () => new StreamableHTTPClientTransport(new URL(server.url)),
};
for (const [name, open] of Object.entries(over)) {
  await test(`the official client, as it comes, over ${name}`, () => use(undefined, open()));
  await test(`the official client, probing for a newer era, over ${name}`, () => use('auto', open()));
}
await test('the inspector over stdio', () => inspect('--', stdio.command, ...stdio.args));
await test('the inspector over HTTP', () => inspect(server.url));
server.child.kill();
await rm(root, { recursive: true });
console.log(`1..${count}`);
process.exit(failed ? 1 : 0);
