// Remote A2A agents on the genuine SDKs, for the tests of trefoil as a client: 1.3.0 speaks 1.0, and
// 0.3 for older clients; 0.3.14 speaks only 0.3. The first word of a message says what the agent
// does: slow, ask, fail; everything else is repeated.
import { Role, TaskState } from '@a2a-js/sdk';
import * as sdk1 from '@a2a-js/sdk/server';
import * as web1 from '@a2a-js/sdk/server/express';
import { duplicateInterfacesForLegacy } from '@a2a-js/sdk/compat/v0_3';
import * as sdk03 from 'a2a-sdk-03/server';
import * as web03 from 'a2a-sdk-03/server/express';
import express from 'express';

const pause = ms => new Promise(done => setTimeout(done, ms));
const now = () => new Date().toISOString();
const canceled = new Set();

// What both agents do, in words that each translates to its SDK.
async function work(say, words, continued, task) {
  say.task();
  if (continued) return void (say.make(`got: ${words}`), say.state('completed'));
  if (words.startsWith('ask')) return say.state('input-required', 'which one?');
  if (words.startsWith('fail')) return say.state('failed', 'it broke');
  say.state('working');
  if (words.startsWith('slow'))
    for (let i = 0; i < 20; i++) {
      await pause(50);
      if (canceled.delete(task)) return say.state('canceled');
      say.make(`tick-${i} `, i > 0, i === 19);
    }
  else say.make(`echo: ${words}`);
  return say.state('completed');
}

// The ids of the newest message, so that a test sees what arrived.
export const seen = [];

function executor(translate) {
  return {
    cancelTask: async task => void canceled.add(task),
    execute: async (context, bus) => {
      const { words, continued, say } = translate(context, bus);
      seen.push({ task: context.taskId, context: context.contextId, words });
      await work(say, words, continued, context.taskId);
      bus.finished?.();
    },
  };
}

// ---- 1.3.0 -------------------------------------------------------------------------------------

const state1 = word => TaskState[`TASK_STATE_${word.toUpperCase().replace('-', '_')}`];
const part1 = text => ({ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' });

function translate1({ taskId, contextId, userMessage, task }, bus) {
  const message = text => ({ role: Role.ROLE_AGENT, messageId: crypto.randomUUID(), parts: [part1(text)],
    taskId, contextId, extensions: [], metadata: {}, referenceTaskIds: [] });
  const { AgentEvent } = sdk1;
  return {
    words: userMessage.parts.map(p => p.content?.value).join(' '),
    continued: task?.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED,
    say: {
      task: () => bus.publish(AgentEvent.task(task ?? { id: taskId, contextId, artifacts: [], history: [userMessage],
        metadata: {}, status: { state: TaskState.TASK_STATE_SUBMITTED, timestamp: now(), message: undefined } })),
      state: (word, text) => bus.publish(AgentEvent.statusUpdate({ taskId, contextId, metadata: {},
        status: { state: state1(word), message: text ? message(text) : undefined, timestamp: now() } })),
      make: (text, append = false, lastChunk = true) => bus.publish(AgentEvent.artifactUpdate({ taskId, contextId,
        append, lastChunk, metadata: undefined, artifact: { artifactId: 'answer-1', name: '', description: '',
          parts: [part1(text)], metadata: undefined, extensions: [] } })),
    },
  };
}

export async function serve1(port) {
  const base = `http://127.0.0.1:${port}`;
  const face = (path, protocolBinding) => ({ url: base + path, protocolBinding, tenant: '', protocolVersion: '1.0' });
  const card = { name: 'sdk1', description: 'the SDK 1.3.0', version: '1.0.0', provider: undefined,
    supportedInterfaces: duplicateInterfacesForLegacy([face('/rpc', 'JSONRPC'), face('/rest', 'HTTP+JSON')],
      ['JSONRPC', 'HTTP+JSON']),
    capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
    securitySchemes: {}, securityRequirements: [], defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'], documentationUrl: '', signatures: [],
    skills: [{ id: 'echo', name: 'Echo', description: 'echoes', tags: ['echo'], examples: [], inputModes: [],
      outputModes: [], securityRequirements: [] }] };
  const requestHandler = new sdk1.DefaultRequestHandler(card, new sdk1.InMemoryTaskStore(), executor(translate1));
  const options = { requestHandler, userBuilder: web1.UserBuilder.noAuthentication, legacyCompat: { enabled: true } };
  const app = express();
  app.use('/.well-known/agent-card.json',
    web1.agentCardHandler({ agentCardProvider: requestHandler, legacyCompat: { enabled: true } }));
  app.use('/rpc', web1.jsonRpcHandler(options));
  app.use('/rest', web1.restHandler(options));
  return await new Promise(done => { const server = app.listen(port, '127.0.0.1', () => done(server)); });
}

// ---- 0.3.14 ------------------------------------------------------------------------------------

function translate03({ taskId, contextId, userMessage, task }, bus) {
  const message = text => ({ kind: 'message', role: 'agent', messageId: crypto.randomUUID(), taskId, contextId,
    parts: [{ kind: 'text', text }] });
  return {
    words: userMessage.parts.map(p => p.text).join(' '),
    continued: task?.status?.state === 'input-required',
    say: {
      task: () => bus.publish(task ?? { kind: 'task', id: taskId, contextId, history: [userMessage],
        status: { state: 'submitted', timestamp: now() } }),
      state: (word, text) => bus.publish({ kind: 'status-update', taskId, contextId,
        final: !['submitted', 'working'].includes(word),
        status: { state: word, timestamp: now(), ...(text ? { message: message(text) } : {}) } }),
      make: (text, append = false, lastChunk = true) => bus.publish({ kind: 'artifact-update', taskId, contextId,
        append, lastChunk, artifact: { artifactId: 'answer-1', parts: [{ kind: 'text', text }] } }),
    },
  };
}

export async function serve03(port) {
  const base = `http://127.0.0.1:${port}`;
  const card = { protocolVersion: '0.3.0', name: 'sdk03', description: 'the SDK 0.3.14', version: '1.0.0',
    url: `${base}/rpc`, preferredTransport: 'JSONRPC',
    additionalInterfaces: [{ url: `${base}/rest`, transport: 'HTTP+JSON' }],
    capabilities: { streaming: true, pushNotifications: false }, defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'], skills: [{ id: 'echo', name: 'Echo', description: 'echoes', tags: [] }] };
  const requestHandler = new sdk03.DefaultRequestHandler(card, new sdk03.InMemoryTaskStore(), executor(translate03));
  const options = { requestHandler, userBuilder: web03.UserBuilder.noAuthentication };
  const app = express();
  app.use('/.well-known/agent-card.json', web03.agentCardHandler({ agentCardProvider: requestHandler }));
  app.use('/rpc', web03.jsonRpcHandler(options));
  app.use('/rest', web03.restHandler(options));
  return await new Promise(done => { const server = app.listen(port, '127.0.0.1', () => done(server)); });
}
