// trefoil as an A2A server for the clients of the genuine SDKs 1.3.0 and 0.3.14.
// usage: node a2a_server.mjs TREFOIL
import { randomUUID } from 'node:crypto';
import * as modern from '@a2a-js/sdk/client';
import { TaskState } from '@a2a-js/sdk';
import * as old from 'a2a-sdk-03/client';
import { equal, finish, has, serve, test } from './harness.mjs';

process.env.TREFOIL_PROVIDER = 'offline';
const url = (await serve()).replace(/\/mcp$/, '');

// ---- both SDKs, as the same verbs: what they give is a task, or updates of it ----

const word = number => TaskState[number].replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');
const texts = parts => parts.map(p => p.text ?? p.content?.value ?? '').join('');
const task1 = t => ({ id: t.id, context: t.contextId, state: word(t.status.state),
                      said: t.artifacts.map(a => texts(a.parts)).join(''), history: t.history.length });
const task03 = t => ({ id: t.id, context: t.contextId, state: t.status.state,
                       said: (t.artifacts ?? []).map(a => texts(a.parts)).join(''),
                       history: (t.history ?? []).length });

async function client1(transport) {
  const factory = new modern.ClientFactory({
    transports: [new modern.JsonRpcTransportFactory({}), new modern.RestTransportFactory({})],
    preferredTransports: [transport] });
  const c = await factory.createFromUrl(url);
  const message = (text, more) => ({
    messageId: randomUUID(), role: 1, taskId: '', contextId: '', extensions: [], referenceTaskIds: [],
    metadata: undefined, ...more,
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '',
              mediaType: 'text/plain' }] });
  const request = (text, more, now) => ({
    tenant: '', message: message(text, more), metadata: undefined,
    configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined,
                     historyLength: undefined, returnImmediately: Boolean(now) } });
  const whole = got => task1(got.payload ? got.payload.value : got);
  const update = e => e.payload.$case === 'task' ? word(e.payload.value.status.state)
    : e.payload.$case === 'statusUpdate' ? word(e.payload.value.status.state) : 'artifact';
  return {
    card: () => c.getAgentCard(),
    send: async (text, more, now) => whole(await c.sendMessage(request(text, more, now))),
    stream: async function* (text) { for await (const e of c.sendMessageStream(request(text))) yield update(e); },
    get: async id => whole(await c.getTask({ tenant: '', id })),
    cancel: async id => whole(await c.cancelTask({ tenant: '', id, metadata: undefined })),
    follow: async function* (id) { for await (const e of c.resubscribeTask({ tenant: '', id })) yield update(e); },
  };
}

async function client03(transport) {
  const factory = new old.ClientFactory({
    transports: [new old.JsonRpcTransportFactory({}), new old.RestTransportFactory({})],
    preferredTransports: [transport] });
  const c = await factory.createFromUrl(url);
  const request = (text, more, now) => ({
    message: { kind: 'message', messageId: randomUUID(), role: 'user',
               parts: [{ kind: 'text', text }], ...more },
    configuration: { blocking: !now } });
  const update = e => e.kind === 'artifact-update' ? 'artifact' : e.status.state;
  return {
    card: () => c.getAgentCard(),
    send: async (text, more, now) => task03(await c.sendMessage(request(text, more, now))),
    stream: async function* (text) { for await (const e of c.sendMessageStream(request(text))) yield update(e); },
    get: async id => task03(await c.getTask({ id })),
    cancel: async id => task03(await c.cancelTask({ id })),
    follow: async function* (id) { for await (const e of c.resubscribeTask({ id })) yield update(e); },
  };
}

// ---- the tests, for each SDK and binding ----

const all = async stream => { const got = []; for await (const x of stream) got.push(x); return got; };

async function fails(promise) {
  try { await promise; } catch (e) { return String(e.message); }
  throw new Error('it should have failed');
}

for (const [name, make] of [['1.3.0', client1], ['0.3.14', client03]])
  for (const transport of ['JSONRPC', 'HTTP+JSON']) {
    const about = what => `SDK ${name}, ${transport}: ${what}`;
    const c = await make(transport);
    await test(about('card'), async () => equal((await c.card()).name, 'Default agent'));
    await test(about('send and get'), async () => {
      const task = await c.send('/echo hello');
      equal([task.state, task.said, task.history], ['completed', 'hello', 1]);
      equal(await c.get(task.id), task);
    });
    await test(about('a stream'), async () => {
      const got = await all(c.stream('/echo hello'));
      equal([got[0], got.at(-1), got.includes('artifact')], ['submitted', 'completed', true]);
    });
    await test(about('a question'), async () => {
      const asked = await c.send('/ask which?');
      equal(asked.state, 'input-required');
      const done = await c.send('blue', { taskId: asked.id, contextId: asked.context });
      equal([done.id, done.state, done.history], [asked.id, 'completed', 3]);
      has(done.said, 'blue');
    });
    await test(about('two subscribers and a cancellation'), async () => {
      const task = await c.send('/sleep 600', {}, true);
      const streams = [all(c.follow(task.id)), all(c.follow(task.id))];
      equal((await c.cancel(task.id)).state, 'canceled');
      equal((await Promise.all(streams)).map(s => s.at(-1)), ['canceled', 'canceled']);
    });
    await test(about('errors'), async () => {
      has((await fails(c.get('unknown'))).toLowerCase(), 'not found');
      const task = await c.send('/echo x');
      await fails(c.cancel(task.id));
      await fails(c.send('more', { taskId: task.id, contextId: task.context }));
    });
  }
await finish();
