// Real MCP clients against a build of trefoil: the official TypeScript client, with a handshake, probing
// for the newest era and insisting on it, and the inspector's command line, over stdio and HTTP (both kinds). All they say
// is written down (tap.mjs) and checked against the official schemas (validate.mjs). Prints TAP.
// usage: node mcp.mjs TREFOIL
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { allValid, equal, finish, here, root, serve, test, trefoil } from './harness.mjs';
import { tapHttp } from './tap.mjs';
import { validate } from './validate.mjs';

process.env.TREFOIL_PROVIDER = 'offline';
await writeFile(join(root, 'hello.txt'), 'hello from the root\n');
await mkdir(join(root, '.trefoil', 'agents'), { recursive: true });
await writeFile(join(root, '.trefoil', 'agents', 'peer-helper.md'), '---\ndescription: Helps peers.\n---\nYou help.\n');
const logs = { stdio: join(root, 'stdio.log'), HTTP: join(root, 'http.log'), 'HTTP+SSE': join(root, 'sse.log') };
const NEWEST = { pin: '2026-07-28' };
const stdio = { command: process.execPath, args: [join(here, 'tap.mjs'), logs.stdio, trefoil,
  'mcp', '--scope', 'tools', '--root', root] };
const agentsOverStdio = { ...stdio, args: [...stdio.args.slice(0, 3), 'mcp', '--root', root], env: { ...process.env } };

const OFFERED = ['file_read', 'file_list', 'glob', 'grep', 'plan_update', 'system_time', 'list_agents', 'agent_send',
  'dispatch_agent', 'get_task_status', 'cancel_task', 'ask_user', 'artifact_write'];
// A client on stdio is proved to be the user, and may write.
const OVER_STDIO = ['file_read', 'file_list', 'file_write', 'file_edit', 'file_move', 'file_delete', 'dir_make', 'glob',
  'grep', 'shell_exec', 'process_start', 'process_poll', 'process_write', 'process_kill', 'web_fetch', 'memory',
  ...OFFERED.slice(4, 11), 'a2a_discover', 'a2a_send', ...OFFERED.slice(11)];

async function use(mode, transport, offered = OFFERED) {
  const client = new Client({ name: 'peers', version: '1' },
    mode ? { versionNegotiation: { mode } } : {});
  await client.connect(transport);
  equal(client.getNegotiatedProtocolVersion(), mode ? '2026-07-28' : '2025-11-25');
  equal((await client.listTools()).tools.map(t => t.name), offered);
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

// An agent of a file, as a tool: it answers, tells how far it is, and stops when it is told to.
async function useAgent(mode, transport) {
  const client = new Client({ name: 'peers', version: '1' }, mode ? { versionNegotiation: { mode } } : {});
  await client.connect(transport);
  const tool = (await client.listTools()).tools.find(t => t.name === 'trefoil_agent_peer_helper');
  equal([tool.description, tool.inputSchema.required],
    ['Call the agent `peer-helper`. Its answer may take minutes. Helps peers.', ['message']]);
  const ask = (args, options) => client.callTool({ name: tool.name, arguments: args }, options);
  const told = []; // the client forgets progress that comes in one piece with the answer, hence the pause
  const pause = `/call agent_send ${JSON.stringify({ message: '/sleep 200ms' })}`;
  const first = await ask({ message: pause }, { onprogress: p => told.push(p) });
  equal(first.content[0].text.includes('Slept 200 ms.'), true);
  equal(told.some(p => p.message === 'agent_send: running'), true);
  equal(told.every((p, i) => !i || p.progress > told[i - 1].progress), true);
  const session_id = first.structuredContent.session_id;
  const second = await ask({ message: '/echo hi', session_id });
  equal([second.content[0].text, second.structuredContent.session_id], ['hi', session_id]);
  const stop = new AbortController();
  // Over HTTP agents only read; on stdio a command that leaves the sandbox needs approval, and this
  // client cannot be asked.
  const refused = await ask({ message: '/call shell_exec {"argv":["true"],"sandbox":"off"}' });
  equal(/read-only|unknown tool|needs approval/.test(refused.content[0].text), true);
  const cancelled = ask({ message: '/sleep 3000' }, { signal: stop.signal }).then(() => 'answered', () => 'cancelled');
  setTimeout(() => stop.abort(), 50);
  equal(await cancelled, 'cancelled');
  equal((await ask({ message: '/echo still here' })).content[0].text, 'still here');
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

const url = await serve();
const http = await tapHttp(logs.HTTP, url);
const sse = await tapHttp(logs['HTTP+SSE'], new URL('/sse', url));
const over = {
  stdio: () => new StdioClientTransport({ ...stdio, stderr: 'inherit' }),
  HTTP: () => new StreamableHTTPClientTransport(new URL(http.url)),
};
const OVER_HTTP = [...OFFERED, 'answer_task', 'list_tasks', 'get_locks',
  'trefoil_agent_default', 'trefoil_agent_peer_helper'];
for (const [name, open] of Object.entries(over)) {
  const offered = name === 'stdio' ? OVER_STDIO : OVER_HTTP;
  await test(`the official client, as it comes, over ${name}`, () => use(undefined, open(), offered));
  await test(`the official client, probing for a newer era, over ${name}`, () => use('auto', open(), offered));
  await test(`the official client, of the newest era alone, over ${name}`, () => use(NEWEST, open(), offered));
}
await test('the official client over HTTP+SSE', () =>
  use(undefined, new SSEClientTransport(new URL(sse.url)), OVER_HTTP));
const agents = { stdio: () => new StdioClientTransport({ ...agentsOverStdio, stderr: 'inherit' }), HTTP: over.HTTP };
for (const [name, open] of Object.entries(agents)) {
  await test(`agents are tools that answer, with progress and cancel, to the official client over ${name}`,
    () => useAgent(undefined, open()));
  await test(`agents are tools that answer, with progress and cancel, to the newest era over ${name}`,
    () => useAgent(NEWEST, open()));
}
await test('the inspector over stdio', () => inspect('--', stdio.command, ...stdio.args));
await test('the inspector over HTTP', () => inspect(http.url));
await test('the schemas find faults', schemasFindFaults);
for (const [name, log] of Object.entries(logs))
  await test(`every message of trefoil is valid by its schema, over ${name}`, () => allValid(log, 'server', 100));
http.close();
sse.close();
await finish();
