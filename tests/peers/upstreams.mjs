// Real MCP servers behind a build of trefoil: those that people use, from npm, and a reference on the
// official SDK, over stdio, Streamable HTTP and HTTP+SSE. Each is called from the command line and by the
// official client through `trefoil serve`. All that trefoil says, as a client of them and as a server, is
// written down and checked against the official schemas. Prints TAP.
// usage: node upstreams.mjs TREFOIL
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { allValid, equal, finish, freePort, has, here, root, serve, start, test, trefoil } from './harness.mjs';
import { tapHttp } from './tap.mjs';

const run = promisify(execFile);
const node = process.execPath;
const bin = name => join(here, 'node_modules/.bin', name);
const reference = (...args) => [join(here, 'ref_server.mjs'), ...args];
const legacy = '2025-11-25', modern = '2026-07-28';
const taps = [];

// ---- what they work on

await writeFile(join(root, 'hello.txt'), 'hello from the root\n');
await run('git', ['init', '-q', '-b', 'trunk', root]);
const memory = join(root, 'memory.jsonl');
await writeFile(memory, '{"type":"entity","name":"spoon","entityType":"thing","observations":["bent"]}\n');
const database = join(root, 'things.db');
await new Promise((done, broken) => {
  const { Database } = createRequire(import.meta.url)('sqlite3');
  new Database(database).exec("create table things (name text); insert into things values ('spoon');",
    e => e ? broken(e) : done());
});

// ---- the servers: how each is reached, in which version, and a call: tool, arguments, what comes back

const echo = ['echo', { message: 'there and back' }, 'Echo: there and back'];
const shout = ['shout', { what: 'quietly' }, 'QUIETLY'];
const stdio = (name, args, version, call, more = '') => ({ name, version, call,
  entry: log => `command = ${JSON.stringify([node, join(here, 'tap.mjs'), log, node, ...args])}\n${more}` });
const remote = (name, open, version, call, more = '') => ({ name, version, call, entry: async log => {
  const tap = await tapHttp(log, await open());
  taps.push(tap);
  return `url = ${JSON.stringify(tap.url)}\n${more}`;
} });

async function everything(transport, path) {
  const port = await freePort();
  await start(/running on port|listening on port/, node, [bin('mcp-server-everything'), transport],
    { env: { ...process.env, PORT: String(port) } });
  return `http://127.0.0.1:${port}${path}`;
}
const referenceAt = eras => async () => (await start(/http:\S+/, node, reference('http', eras)))[0];

const servers = [
  stdio('everything', [bin('mcp-server-everything'), 'stdio'], legacy, echo),
  remote('everything_http', () => everything('streamableHttp', '/mcp'), legacy, echo),
  remote('everything_sse', () => everything('sse', '/sse'), legacy, echo),
  stdio('files', [bin('mcp-server-filesystem'), root], legacy,
    ['read_text_file', { path: join(root, 'hello.txt') }, 'hello from the root']),
  stdio('memory', [bin('mcp-server-memory')], legacy,
    ['read_graph', {}, 'bent'],
    `env = { MEMORY_FILE_PATH = ${JSON.stringify(memory)} }\n`),
  stdio('thinking', [bin('mcp-server-sequential-thinking')], legacy,
    ['sequentialthinking', { thought: 'so', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      '"thoughtNumber": 1']),
  stdio('sqlite', [bin('mcp-sqlite-server'), database], legacy,
    ['query', { sql: 'select name from things' }, 'spoon']),
  stdio('git', [bin('git-mcp-server')], legacy, ['git_status', { path: root }, 'trunk'],
    `env = { MCP_TRANSPORT_TYPE = "stdio", MCP_LOG_LEVEL = "error", HOME = ${JSON.stringify(root)} }\n`),
  stdio('playwright', [bin('playwright-mcp'), '--headless', '--isolated'], legacy),
  stdio('postgres', [bin('mcp-server-postgres'), 'postgresql://nobody@127.0.0.1:1/none'], '2024-11-05'),
  stdio('ref', reference('stdio', 'dual'), modern, shout),
  stdio('ref_modern', reference('stdio', 'modern'), modern, shout),
  stdio('ref_legacy', reference('stdio', 'dual'), legacy, shout, 'era = "legacy"\n'),
  remote('ref_http', referenceAt('dual'), modern, shout),
  remote('ref_http_modern', referenceAt('modern'), modern, shout),
  remote('ref_http_legacy', referenceAt('dual'), legacy, shout, 'era = "legacy"\n'),
];

await mkdir(join(root, 'logs'));
const logOf = server => join(root, 'logs', server.name);
let config = '[mcp]\nmode = "read-write"\n'; // some tools do not say that they only read
for (const server of servers)
  config += `[[mcp.servers]]\nname = "${server.name}"\n${await server.entry(logOf(server))}`;
await writeFile(join(root, 'trefoil.toml'), config);

// ---- from the command line

const toolOf = (server, name) => `mcp_${server.name}_${name.replaceAll('-', '_')}`;
const verb = async (...args) => (await run(trefoil, [...args, '--trust', '--root', root])).stdout;

for (const server of servers.filter(s => s.call)) {
  const [name, args, want] = server.call;
  await test(`trefoil tools call: ${server.name}`, async () =>
    has(await verb('tools', 'call', toolOf(server, name), JSON.stringify(args)), want));
}
for (const server of servers)
  await test(`trefoil servers test ${server.name}`, async () => {
    const said = await verb('servers', 'test', server.name);
    has(said, `MCP ${server.version}`);
    has(said, `mcp_${server.name}_`);
  });

// ---- by a client of `trefoil serve`

const url = await serve('--trust');
const fronts = { legacy: join(root, 'legacy.log'), auto: join(root, 'auto.log') };
const asked = [];

async function connect(mode) {
  const tap = await tapHttp(fronts[mode], url);
  taps.push(tap);
  const client = new Client({ name: 'peers', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', request => {
    asked.push(request.params.message);
    return { action: 'accept', content: { name: 'Ada' } };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(tap.url)));
  return client;
}
// Servers start one after another; a call would wait for its own, a list does not.
async function allListed(client) {
  for (let end = Date.now() + 60000; ; await new Promise(later => setTimeout(later, 100))) {
    const { tools } = await client.listTools();
    const missing = servers.filter(s => !tools.some(t => t.name.startsWith(`mcp_${s.name}_`)));
    if (!missing.length) return tools;
    if (Date.now() > end) throw new Error(`no tools of ${missing.map(s => s.name)}`);
  }
}
const textOf = result => result.content.map(c => c.text ?? '').join('\n');

for (const mode of ['legacy', 'auto']) {
  const client = await connect(mode);
  const call = (server, name, args = {}, options) =>
    client.callTool({ name: `mcp_${server}_${name}`, arguments: args }, options);

  await test(`${mode}: the tools of all servers are listed, each once`, async () => {
    const names = (await allListed(client)).map(t => t.name);
    equal(new Set(names).size, names.length);
  });
  for (const server of servers.filter(s => s.call))
    await test(`${mode}: a call of ${server.name}`, async () => {
      const [name, args, want] = server.call;
      const result = await client.callTool({ name: toolOf(server, name), arguments: args });
      has(textOf(result), want);
    });
  for (const server of ['ref', 'ref_legacy', 'ref_http', 'ref_http_modern']) {
    await test(`${mode}: results and failures of ${server} arrive as they are`, async () => {
      equal((await call(server, 'product', { x: 6, y: 7 })).structuredContent, { xy: 42 });
      const broken = await call(server, 'broken');
      equal([broken.isError, textOf(broken)], [true, 'as it should']);
      equal((await call(server, 'shout', {})).isError, true);
    });
    await test(`${mode}: a question of ${server} reaches the client, and its answer the server`, async () => {
      asked.length = 0;
      equal(textOf(await call(server, 'greet')), 'Hello Ada');
      equal(asked, ['Who are you?']);
    });
  }
  for (const server of ['everything', 'everything_http', 'everything_sse']) {
    await test(`${mode}: progress of ${server}`, async () => {
      const seen = [];
      await call(server, 'trigger_long_running_operation', { duration: 0.2, steps: 4 },
        { onprogress: p => seen.push(p.progress) });
      equal(seen, [1, 2, 3, 4]);
    });
    await test(`${mode}: content of every kind by ${server}`, async () => {
      const image = (await call(server, 'get_tiny_image')).content.find(c => c.type === 'image');
      equal(image.mimeType, 'image/png');
      const weather = await call(server, 'get_structured_content', { location: 'New York' });
      equal(typeof weather.structuredContent.temperature, 'number');
      const links = await call(server, 'get_resource_links', { count: 2 });
      equal(links.content.filter(c => c.type === 'resource_link').length, 2);
    });
  }
  await client.close();
}

// ---- what was said

for (const [mode, log] of Object.entries(fronts))
  await test(`every message of trefoil to its client is valid by its schema, ${mode}`, () =>
    allValid(log, 'server', 40));
for (const server of servers)
  await test(`every message of trefoil to ${server.name} is valid by its schema`, () =>
    allValid(logOf(server), 'client', 5));
for (const tap of taps) tap.close();
await finish();
