// An editor on the official TypeScript client of ACP. Every message of trefoil is checked against the
// official schema, which is part of the SDK.
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough, Readable, Writable } from 'node:stream';
import { equal, here, root, trefoil } from './harness.mjs';

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

export class Editor {
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

export const open = async context =>
  (await context.request(methods.agent.session.new, { cwd: root, mcpServers: [] })).sessionId;
export const prompt = (context, sessionId, text) =>
  context.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
