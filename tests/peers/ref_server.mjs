// An MCP server on the official SDK, to be used by trefoil.
// usage: node ref_server.mjs stdio|http dual|modern      http prints its URL
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import http from 'node:http';
import { Readable } from 'node:stream';
import { z } from 'zod';

const [transport, eras] = process.argv.slice(2);
const options = { legacy: eras === 'modern' ? 'reject' : undefined };
const text = value => ({ content: [{ type: 'text', text: value }] });
const person = z.object({ name: z.string() });

function build() {
  const server = new McpServer({ name: 'reference', version: '1' }, { instructions: 'Ask away.' });
  server.registerTool('shout', { description: 'In capitals.', inputSchema: z.object({ what: z.string() }) },
    ({ what }) => text(what.toUpperCase()));
  server.registerTool('product', { description: 'x times y.',
    inputSchema: z.object({ x: z.number(), y: z.number() }), outputSchema: z.object({ xy: z.number() }) },
    ({ x, y }) => ({ ...text(String(x * y)), structuredContent: { xy: x * y } }));
  server.registerTool('broken', { description: 'Never works.', inputSchema: z.object({}) },
    () => { throw new Error('as it should'); });
  server.registerTool('greet', { description: 'Asks for a name.', inputSchema: z.object({}) }, (_, call) => {
    const who = acceptedContent(call.mcpReq.inputResponses, 'who', person);
    return who ? text(`Hello ${who.name}`) : inputRequired({ inputRequests: {
      who: inputRequired.elicit({ message: 'Who are you?', requestedSchema: person }) } });
  });
  return server;
}

async function answer(handler, request, response) {
  const left = new AbortController();
  response.on('close', () => left.abort());
  const hasBody = request.method === 'POST';
  const reply = await handler.fetch(new Request(new URL(request.url, 'http://localhost'), {
    method: request.method, headers: request.headers, signal: left.signal,
    ...(hasBody && { body: Readable.toWeb(request), duplex: 'half' }) }));
  response.writeHead(reply.status, Object.fromEntries(reply.headers));
  if (reply.body) Readable.fromWeb(reply.body).on('error', () => {}).pipe(response);
  else response.end();
}

if (transport === 'stdio') {
  serveStdio(build, options);
} else {
  const handler = createMcpHandler(build, options);
  const server = http.createServer((request, response) =>
    answer(handler, request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
}
