// The reference of the section `a2a`: an echo agent on @a2a-js/sdk with express and its in-memory
// store. usage: node a2a_peer.mjs FOLDER, where FOLDER/node_modules has both; prints its port.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { randomUUID } from 'node:crypto';

const from = createRequire(`${process.argv[2]}/package.json`);
const load = (name) => import(pathToFileURL(from.resolve(name)).href);
const express = (await load('express')).default;
const { TaskState, Role } = await load('@a2a-js/sdk');
const { DefaultRequestHandler, InMemoryTaskStore, AgentEvent } = await load('@a2a-js/sdk/server');
const { jsonRpcHandler, UserBuilder } = await load('@a2a-js/sdk/server/express');

const part = (value) => ({ content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: '' });
const status = (state) => ({ state, message: undefined, timestamp: new Date().toISOString() });

const executor = {
  cancelTask: async () => {},
  execute: async ({ taskId, contextId, userMessage }, bus) => {
    const text = userMessage.parts[0].content.value.replace('/echo ', '');
    const tell = (state) => bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(state), metadata: {} }));
    bus.publish(AgentEvent.task({ id: taskId, contextId, status: status(TaskState.TASK_STATE_SUBMITTED),
                                  artifacts: [], history: [userMessage], metadata: {} }));
    tell(TaskState.TASK_STATE_WORKING);
    bus.publish(AgentEvent.artifactUpdate({
      taskId, contextId, append: false, lastChunk: true, metadata: undefined,
      artifact: { artifactId: randomUUID(), name: 'answer', description: '', parts: [part(text)],
                  metadata: undefined, extensions: [] } }));
    tell(TaskState.TASK_STATE_COMPLETED);
  },
};
const card = {
  name: 'echo', description: 'echoes', version: '1', provider: undefined, iconUrl: '', documentationUrl: '',
  capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
  supportedInterfaces: [{ url: 'http://127.0.0.1/', protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' }],
  securitySchemes: {}, securityRequirements: [], defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'], signatures: [],
  skills: [{ id: 'echo', name: 'Echo', description: 'echoes', tags: ['echo'], examples: [],
             inputModes: [], outputModes: [], securityRequirements: [] }],
};
const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
const app = express();
app.use('/', jsonRpcHandler({ requestHandler: handler, userBuilder: UserBuilder.noAuthentication }));
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));
