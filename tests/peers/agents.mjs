// Sub-agents as hosts use them: the official TypeScript client of both eras against a build of trefoil,
// over stdio, over HTTP, and over stdio to a daemon. Agents are listed, read, dispatched, watched,
// cancelled; files of agents come, change and go, and the client hears of it. All that is said is
// written down (tap.mjs) and checked against the official schemas (validate.mjs). Prints TAP.
// usage: node agents.mjs TREFOIL
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allValid, equal, finish, has, here, root, serve, test, trefoil } from './harness.mjs';
import { tapHttp } from './tap.mjs';

const ERAS = { 'the official client': undefined, 'the newest era': { pin: '2026-07-28' } };
const runtime = join(root, 'run'), work = join(root, 'work'), own = join(root, 'own.toml');
process.env.TREFOIL_PROVIDER = 'offline';
process.env.XDG_RUNTIME_DIR = runtime; // where the daemon is found
await mkdir(runtime);
await chmod(runtime, 0o700);
await mkdir(join(work, '.trefoil', 'agents'), { recursive: true });
// A busy machine may take its time to answer; who waits for it is not the point here.
await writeFile(own, '[mcp]\nmode = "read-write"\n[guard.permission]\nexecute = "auto"\n[limits]\nattach_ms = 30000\n');

const fileOf = name => join(work, '.trefoil', 'agents', `${name}.md`);
// The description of the tool of an agent; undefined: it has none.
const ofTool = (name, about) => about && `Call the agent \`${name}\`. Its answer may take minutes. ${about}`;
const agent = (name, description) =>
  writeFile(fileOf(name), `---\ndescription: ${description}\ntier: low\n---\nYou help.\n`);
await agent('helper', 'Helps peers.');
await mkdir(join(work, 'src'));
await writeFile(join(work, 'src', 'main.c'), 'int main(void) { return 0; }\n');

async function until(what, look) {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    const found = await look();
    if (found) return found;
    await new Promise(later => setTimeout(later, 5));
  }
  throw new Error(`waited in vain for ${what}`);
}

// A client that keeps the newest lists it was told of.
async function connect(mode, transport) {
  const told = {};
  const hears = what => ({ debounceMs: 0, onChanged: (e, items) => { if (!e) told[what] = items; } });
  const client = new Client({ name: 'peers', version: '1' }, {
    listChanged: { tools: hears('tools'), resources: hears('resources') },
    ...(mode ? { versionNegotiation: { mode } } : {}) });
  await client.connect(transport);
  equal(client.getNegotiatedProtocolVersion(), mode ? '2026-07-28' : '2025-11-25');
  const use = async (name, args = {}, options) => {
    const result = await client.callTool({ name, arguments: args }, options);
    if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
    return result.structuredContent;
  };
  return { client, told, use };
}

const status = ({ use }, task_id) => use('get_task_status', { task_id });
const dispatch = async ({ use }, task, more) => {
  const started = await use('dispatch_agent', { agent: 'helper', task, ...more });
  equal([started.status, started.agent], ['working', 'helper']);
  return started.taskId;
};
const ended = (c, id) => until('its end', async () => {
  const now = await status(c, id);
  return now.status !== 'working' && now;
});

// ---- what is done --------------------------------------------------------------------------------

async function find({ client, use }) {
  const listed = await use('list_agents');
  has(listed.hint, 'agents://{name}');
  const one = listed.agents.find(a => a.name === 'helper');
  equal([one.tier, one.description], ['low', 'Helps peers.']);
  const { resources } = await client.listResources();
  equal(resources.find(r => r.uri === 'agents://helper').mimeType, 'application/json');
  const { contents } = await client.readResource({ uri: 'agents://helper' });
  const { name, description, tier } = JSON.parse(contents[0].text);
  equal({ name, description, tier }, { name: 'helper', description: 'Helps peers.', tier: 'low' });
  const { tools } = await client.listTools();
  equal(tools.find(t => t.name === 'trefoil_agent_helper').description, ofTool('helper', 'Helps peers.'));
}

async function complete(c) {
  const id = await dispatch(c, '/artifact notes.md see src/main.c');
  const done = await ended(c, id);
  equal([done.taskId, done.status, done.agent], [id, 'completed', 'helper']);
  equal(done.result.response, 'Made the artifact notes.md (14 bytes).');
  equal(done.result.artifacts, ['notes.md']);
  // src/main.c exists and no task has changed it; src/none.c does not exist.
  const named = await ended(c, await dispatch(c, '/echo see src/main.c and src/none.c'));
  equal([named.result.response, named.result.artifacts], ['see src/main.c and src/none.c', []]);
}

async function fail(c) {
  const failed = await ended(c, await dispatch(c, '/fail on purpose'));
  equal(failed.status, 'failed');
  has(failed.error, 'on purpose');
  const waited = await c.use('dispatch_agent', { agent: 'helper', task: '/fail again', wait: 60 });
  equal([waited.status, waited.error.includes('again')], ['failed', true]);
  const unknown = await c.client.callTool({ name: 'dispatch_agent', arguments: { agent: 'nobody', task: 'x' } });
  equal(unknown.isError, true);
  has(unknown.content[0].text, 'nobody');
}

async function stop(c) {
  const id = await dispatch(c, '/sleep 3000', { mode: 'read-only' });
  const lock = await until('its lock', async () => (await c.use('get_locks')).locks.find(l => l.taskId === id));
  equal([lock.agent, lock.mode, lock.paths.map(p => p.replace(/\/$/, ''))], ['helper', 'exclusive', ['.vault']]);
  equal((await status(c, id)).status, 'working');
  equal(await c.use('cancel_task', { task_id: id }), { status: 'cancelled', taskId: id, agent: 'helper' });
  equal((await status(c, id)).status, 'cancelled');
  equal(await c.use('get_locks'), { locks: [], count: 0 });
  const again = await c.client.callTool({ name: 'cancel_task', arguments: { task_id: id } });
  equal(again.isError, true);
}

// It goes on when we have heard that it is under way.
async function watch({ use }) {
  const told = [], gate = join(work, 'gate');
  const task = `/call shell_exec ${JSON.stringify({ shell: true,
    command: 'until [ -e gate ]; do sleep 0.01; done; echo through' })}`;
  const onprogress = p => { told.push(p); if (p.message === 'shell_exec: running') writeFile(gate, ''); };
  const done = await use('dispatch_agent', { agent: 'helper', task, wait: 60 }, { onprogress });
  equal(done.status, 'completed');
  has(done.result.response, 'through');
  equal(told.every((p, i) => !i || p.progress > told[i - 1].progress), true);
  await rm(gate);
}

// Both lists are told anew, and then look as `wanted` says: the description of the agent, or undefined.
async function heard({ client, told }, wanted) {
  const uri = 'agents://fresh', name = 'trefoil_agent_fresh';
  await until('both lists', () => told.tools && told.resources &&
    told.tools.find(t => t.name === name)?.description === ofTool('fresh', wanted) &&
    (wanted !== undefined) === told.resources.some(r => r.uri === uri));
  if (wanted === undefined)
    equal(await client.readResource({ uri }).then(() => 'read', () => 'gone'), 'gone');
  else
    equal(JSON.parse((await client.readResource({ uri })).contents[0].text).description, wanted);
  delete told.tools;
  delete told.resources;
}

async function change(c) {
  await agent('fresh', 'Is new.');
  await heard(c, 'Is new.');
  await agent('fresh', 'Is another.');
  await heard(c, 'Is another.');
  equal((await c.use('dispatch_agent', { agent: 'fresh', task: '/echo hi', wait: 60 })).result.response, 'hi');
  await rm(fileOf('fresh'));
  await heard(c, undefined);
}

const ACTS = {
  'lists agents and reads them as resources': find,
  'dispatches one and polls until it is done': complete,
  'sees a run that failed as failed': fail,
  'sees the lock of one and cancels it': stop,
  'hears how far one is while it waits': watch,
  'hears of an agent that comes, changes and goes': change,
};

// ---- over what -----------------------------------------------------------------------------------

const url = await serve('--root', work, '--config', own);
const logs = Object.fromEntries(['stdio', 'HTTP', 'daemon'].map(name => [name, join(root, `${name}.log`)]));
const http = await tapHttp(logs.HTTP, url);
const child = (log, ...args) => new StdioClientTransport({ command: process.execPath, env: { ...process.env },
  args: [join(here, 'tap.mjs'), log, trefoil, 'mcp', '--root', work, '--config', own, ...args], stderr: 'inherit' });
const WAYS = {
  'over stdio': () => child(logs.stdio, '--no-attach'),
  'over HTTP': () => new StreamableHTTPClientTransport(new URL(http.url)),
  'over stdio to a daemon': () => child(logs.daemon, '--scope', 'all'),
};

// Two attached clients of one user share the daemon's processes and tasks; a client without a key
// is another principal and does not see the task.
async function attached() {
  const first = await connect(undefined, WAYS['over stdio to a daemon']());
  const second = await connect(undefined, WAYS['over stdio to a daemon']());
  const keyless = await connect(undefined, WAYS['over HTTP']());
  const { id } = await first.use('process_start', { command: 'exec cat', shell: true });
  equal((await second.use('process_poll', { id })).id, id);
  const task = await dispatch(first, '/sleep 3000');
  await first.client.close();
  equal((await status(second, task)).status, 'working');
  const hidden = await keyless.client.callTool({ name: 'get_task_status', arguments: { task_id: task } });
  equal(hidden.isError, true);
  has(hidden.content[0].text, 'there is no task');
  await second.use('cancel_task', { task_id: task });
  await second.client.close();
  await keyless.client.close();
}

for (const [way, open] of Object.entries(WAYS))
  for (const [who, mode] of Object.entries(ERAS)) {
    const c = await connect(mode, open());
    for (const [what, act] of Object.entries(ACTS)) await test(`${who} ${way} ${what}`, () => act(c));
    await c.client.close();
  }
await test('attached clients share the daemon, and a dispatched task outlives its client', attached);
for (const [name, log] of Object.entries(logs))
  await test(`every message of trefoil is valid by its schema, ${name}`, () => allValid(log, 'server', 40));
http.close();
await finish();
