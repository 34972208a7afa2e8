// The official TypeScript client of ACP against a build of trefoil: an editor with files, terminals,
// forms and permissions. Every message of trefoil is checked against the official schema, which is part
// of the SDK. Prints TAP.
// usage: node acp.mjs TREFOIL
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough, Readable, Writable } from 'node:stream';
import { equal, finish, has, here, root, test, trefoil } from './harness.mjs';

process.env.TREFOIL_PROVIDER = 'offline';
await mkdir(join(root, '.git'));

// ---- the official schema ---------------------------------------------------------------------------

const schema = JSON.parse(readFileSync(
  join(here, 'node_modules/@agentclientprotocol/sdk/schema/v1/schema.json'), 'utf8'));
const ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: false });
addFormats.default(ajv);
for (const name of ['uint16', 'uint32', 'uint64', 'int32', 'int64', 'double', 'float'])
  ajv.addFormat(name, true);
ajv.addSchema(schema, 'acp');
// The definition of a message: by the side that handles its method.
const definitions = {};
for (const [name, one] of Object.entries(schema.$defs))
  if (one['x-method'])
    definitions[`${one['x-side']} ${one['x-method']} ${name.endsWith('Response') ? 'result' : 'params'}`] = name;

function check(side, method, part, value) {
  const name = definitions[`${side} ${method} ${part}`];
  if (!name) throw new Error(`the schema has no ${part} of ${method}`);
  const valid = ajv.compile({ $ref: `acp#/$defs/${name}` });
  if (!valid(value)) throw new Error(`${method}: ${ajv.errorsText(valid.errors)} in ${JSON.stringify(value)}`);
  const known = Object.keys(schema.$defs[name].properties ?? {});
  for (const key of Object.keys(value ?? {}))
    if (known.length && !known.includes(key) && key !== 'usage') throw new Error(`${method}: unknown key ${key}`);
}

// What trefoil has sent, checked when the test ends.
function recorder(sent) {
  const asked = new Map();
  return {
    client: text => { const m = JSON.parse(text); if (m.method && 'id' in m) asked.set(m.id, m.method); },
    agent: text => {
      const m = JSON.parse(text);
      sent.push(m);
      if (m.method?.startsWith('$/')) return;
      if (m.method) check('client', m.method, 'params', m.params);
      else if (m.error) check('agent', 'Error', 'params', m.error);
      else if (!asked.get(m.id)?.startsWith('_')) check('agent', asked.get(m.id), 'result', m.result);
    },
  };
}
definitions['agent Error params'] = 'Error';

// ---- an editor -------------------------------------------------------------------------------------

function lines(stream, each) {
  createInterface({ input: stream }).on('line', each);
}

class Editor {
  constructor(...args) {
    this.sent = [];
    this.wrong = [];
    this.buffers = new Map();
    this.updates = [];
    this.asked = [];
    this.choice = 'allow_once';
    this.child = spawn(trefoil, ['acp', ...args], { stdio: ['pipe', 'pipe', 'inherit'], cwd: '/' });
    this.ended = new Promise(done => this.child.on('exit', done));
    const record = recorder(this.sent);
    const guarded = each => text => { try { each(text); } catch (e) { this.wrong.push(e); } };
    const input = new PassThrough(), output = new PassThrough();
    input.pipe(this.child.stdin);
    this.child.stdout.pipe(output);
    lines(input.pipe(new PassThrough()), guarded(record.client));
    lines(this.child.stdout.pipe(new PassThrough()), guarded(record.agent));
    this.input = input;
    this.stream = ndJsonStream(Writable.toWeb(input), Readable.toWeb(output));
  }

  app() {
    return client({ name: 'peers' })
      .onNotification(methods.client.session.update, ({ params }) => { this.updates.push(params); })
      .onRequest(methods.client.session.requestPermission, ({ params }) => {
        this.asked.push(params);
        const option = params.options.find(o => o.kind === this.choice);
        return { outcome: { outcome: 'selected', optionId: option.optionId } };
      })
      .onRequest(methods.client.fs.readTextFile, async ({ params }) => ({
        content: this.buffers.get(params.path) ?? await readFile(params.path, 'utf8') }))
      .onRequest(methods.client.fs.writeTextFile, ({ params }) => {
        this.buffers.set(params.path, params.content);
        return {};
      });
  }

  async run(capabilities, work) {
    await this.app().connectWith(this.stream, async context => {
      const hello = await context.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: capabilities, clientInfo: { name: 'peers', version: '1' } });
      equal(hello.protocolVersion, 1);
      await work(context, hello);
    });
    this.input.end();
    equal(await this.ended, 0);
    if (this.wrong.length) throw this.wrong[0];
  }

  of(session, kind) {
    return this.updates.filter(u => u.sessionId === session && u.update.sessionUpdate === kind).map(u => u.update);
  }

  text(session) {
    return this.of(session, 'agent_message_chunk').map(u => u.content.text ?? '').join('');
  }
}

const open = async context =>
  (await context.request(methods.agent.session.new, { cwd: root, mcpServers: [] })).sessionId;
const prompt = (context, sessionId, text) =>
  context.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });

await test('a prompt streams its answer, and all messages are valid', async () => {
  const editor = new Editor();
  await editor.run({}, async context => {
    const session = await open(context);
    equal((await prompt(context, session, '/echo Hello there')).stopReason, 'end_turn');
    equal(editor.text(session), 'Hello there');
  });
});

await test('an edit asks, shows its diff and lands in the buffer of the editor', async () => {
  const editor = new Editor(), path = join(root, 'a.txt');
  await writeFile(path, 'on the disk');
  editor.buffers.set(path, 'not saved');
  await editor.run({ fs: { readTextFile: true, writeTextFile: true } }, async context => {
    const session = await open(context);
    await prompt(context, session,
      '/call file_edit {"path":"a.txt","old_text":"not saved","new_text":"edited"}');
    equal(editor.buffers.get(path), 'edited');
    equal(await readFile(path, 'utf8'), 'on the disk');
    const last = editor.of(session, 'tool_call_update').at(-1);
    const diff = last.content.find(c => c.type === 'diff');
    equal([diff.path, diff.oldText, diff.newText], [path, 'not saved', 'edited']);
  });
});

await test('a command outside of the sandbox asks for permission', async () => {
  const editor = new Editor();
  await editor.run({}, async context => {
    const session = await open(context), call = '/call shell_exec {"argv":["true"],"sandbox":"off"}';
    await prompt(context, session, call);
    equal(editor.asked.length, 1);
    equal(editor.of(session, 'tool_call_update').at(-1).status, 'completed');
    editor.choice = 'reject_once';
    await prompt(context, session, call);
    equal(editor.of(session, 'tool_call_update').at(-1).status, 'failed');
  });
});

await test('sessions are listed, loaded, resumed, closed and deleted', async () => {
  const editor = new Editor();
  await editor.run({}, async context => {
    const session = await open(context);
    await prompt(context, session, '/echo kept');
    await context.request(methods.agent.session.setMode, { sessionId: session, modeId: 'read-only' });
    await context.request(methods.agent.session.setConfigOption,
      { sessionId: session, configId: 'thought_level', value: 'low' });
    await context.request(methods.agent.session.close, { sessionId: session });
    const { sessions } = await context.request(methods.agent.session.list, { cwd: root });
    has(sessions.map(s => s.sessionId), session);
    editor.updates = [];
    const loaded = await context.request(methods.agent.session.load,
      { sessionId: session, cwd: root, mcpServers: [] });
    equal(loaded.modes.currentModeId, 'read-only');
    equal(editor.text(session), 'kept');
    await context.request(methods.agent.session.resume, { sessionId: session, cwd: root });
    await context.request(methods.agent.session.delete, { sessionId: session });
    const rest = await context.request(methods.agent.session.list, { cwd: root });
    equal(rest.sessions.filter(s => s.sessionId === session), []);
  });
});

await test('a cancelled prompt ends with cancelled', async () => {
  const editor = new Editor();
  await editor.run({}, async context => {
    const session = await open(context), running = prompt(context, session, '/sleep 600');
    await context.notify(methods.agent.session.cancel, { sessionId: session });
    equal((await running).stopReason, 'cancelled');
  });
});

await finish();
