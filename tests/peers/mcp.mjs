// Real MCP clients against a build of trefoil: the official TypeScript client, with a handshake and
// probing for the newest era, and the inspector's command line, over stdio and HTTP (both kinds). All they say
// is written down (tap.mjs) and checked against the official schemas (validate.mjs). Prints TAP.
// usage: node mcp.mjs TREFOIL
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { tapHttp } from './tap.mjs';
import { readLog, validate } from './validate.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const trefoil = resolve(process.argv[2]);
const root = await mkdtemp(join(tmpdir(), 'trefoil-peers-'));
await writeFile(join(root, 'hello.txt'), 'hello from the root\n');
const logs = { stdio: join(root, 'stdio.log'), HTTP: join(root, 'http.log') };
const stdio = { command: process.execPath, args: [join(here, 'tap.mjs'), logs.stdio, trefoil,
  'mcp', '--scope', 'tools', '--root', root] };

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
  equal(client.getNegotiatedProtocolVersion(), mode ? '2026-07-28' : '2025-11-25');
  equal((await client.listTools()).tools.map(t => t.name), ['file_read', 'file_list', 'glob', 'grep', 'plan_update', 'system_time']);
  const read = await client.callTool({ name: 'file_read', arguments: { path: 'hello.txt' } });
  equal(read.content, [{ type: 'text', text: 'hello from the root\n' }]);
  const time = await client.callTool({ name: 'system_time', arguments: {} });
  equal(typeof time.structuredContent.unixMs, 'number');
  const none = await client.callTool({ name: 'file_read', arguments: { path: 'none' } });
  equal(none.isError, true);
  const wrong = await client.callTool({ name: 'nobody', arguments: {} }).then(() => 0, e => e.code);
  equal(wrong, -32602);
  if (!mode) await client.ping(); // the newest era has none
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

// What the schemas must find wrong: a check that cannot fail proves nothing.
function schemasFindFaults() {
  const asked = method => ({ stream: 1, from: 'client', version: '2025-11-25',
    message: { jsonrpc: '2.0', id: 1, method } });
  const faults = [
    [asked('tools/list'), { id: 1, result: { tools: [{ name: 'a' }] } }],
    [asked('tools/call'), { id: 1, result: { content: [{ type: 'text' }] } }],
    [asked('ping'), { id: null, result: {} }],
    [asked('ping'), { id: 1, error: { code: 'x', message: 'y' } }],
    [asked('ping'), { id: null, error: { code: -32600, message: 'y' } }],
    [asked('ping'), { method: 'notifications/progress', params: { progress: 1 } }],
  ];
  for (const [request, answer] of faults) {
    const reply = { stream: 1, from: 'server', version: '2025-11-25', message: { jsonrpc: '2.0', ...answer } };
    equal([answer, validate([request, reply], 'server').wrong.length], [answer, 1]);
  }
  const modern = { stream: 1, from: 'server', version: '2026-07-28', message: { jsonrpc: '2.0', id: 1, result: { tools: [] } } };
  equal(validate([asked('tools/list'), modern], 'server').wrong.length, 1);
  const unread = { stream: 1, from: 'server', version: '2025-11-25', message: { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'y' } } };
  equal(validate([unread], 'server').wrong, []);
  const good = { stream: 1, from: 'server', version: '2025-11-25', message: { jsonrpc: '2.0', id: 1, result: { tools: [] } } };
  equal(validate([asked('tools/list'), good], 'server'), { checked: 1, unknown: 0, wrong: [] });
}

function allValid(log) {
  const { checked, unknown, wrong } = validate(readLog(log), 'server');
  equal({ unknown, wrong }, { unknown: 0, wrong: [] });
  if (checked < 100) throw new Error(`only ${checked} messages were seen`);
}

const server = await serve();
const tapped = await tapHttp(logs.HTTP, server.url);
const over = {
  stdio: () => new StdioClientTransport({ ...stdio, stderr: 'inherit' }),
  HTTP: () => new StreamableHTTPClientTransport(new URL(tapped.url)),
};
for (const [name, open] of Object.entries(over)) {
  await test(`the official client, as it comes, over ${name}`, () => use(undefined, open()));
  await test(`the official client, probing for a newer era, over ${name}`, () => use('auto', open()));
}
await test('the official client over HTTP+SSE', () =>
  use(undefined, new SSEClientTransport(new URL('/sse', server.url))));
await test('the inspector over stdio', () => inspect('--', stdio.command, ...stdio.args));
await test('the inspector over HTTP', () => inspect(tapped.url));
await test('the schemas find faults', schemasFindFaults);
for (const [name, log] of Object.entries(logs))
  await test(`every message of trefoil is valid by its schema, over ${name}`, () => allValid(log));
tapped.close();
server.child.kill();
await rm(root, { recursive: true });
console.log(`1..${count}`);
process.exit(failed ? 1 : 0);
