// Write down what passes between an MCP client and a server, byte for byte unchanged on its way.
// The log is one record per line, see validate.mjs.
//
//   node tap.mjs LOG COMMAND...      a stdio server; stands where COMMAND would
//
// and, from other scripts, tapHttp(log, url): a URL on this machine that leads to `url`.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import http from 'node:http';
import { fileURLToPath } from 'node:url';

let streams = 0;
function recorder(log, version, stream = `${process.pid}.${++streams}`) {
  return (from, text) => {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      message = `not JSON: ${text}`;
    }
    for (const one of Array.isArray(message) ? message : [message])
      appendFileSync(log, `${JSON.stringify({ stream, from, version, message: one })}\n`);
  };
}

// Calls `each` with every whole piece of a byte stream that ends with a newline.
function lines(each) {
  let rest = '';
  const decoder = new TextDecoder();
  return chunk => {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop();
    for (const part of parts) each(part.replace(/\r$/, ''));
  };
}

function tapStdio(log, [command, ...args]) {
  const record = recorder(log);
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const watch = (input, output, from) => {
    const take = lines(line => line.trim() && record(from, line));
    input.on('data', chunk => { take(chunk); output.write(chunk); });
    output.on('error', () => {});
  };
  watch(process.stdin, child.stdin, 'client');
  watch(child.stdout, process.stdout, 'server');
  process.stdin.on('end', () => child.stdin.end());
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal));
  child.on('close', code => process.exit(code ?? 1));
}

// Records a response body: one JSON text, or the data of each event. `on` is told of the others.
function responseTap(answer, record, on) {
  if (!answer.headers['content-type']?.startsWith('text/event-stream')) {
    const parts = [];
    const isJson = answer.headers['content-type']?.startsWith('application/json');
    return { data: part => parts.push(part),
      end: () => isJson && parts.length && record('server', Buffer.concat(parts).toString()) };
  }
  let data = [], kind = 'message';
  return { end: () => {}, data: lines(line => {
    if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    if (line.startsWith('event:')) kind = line.slice(6).trim();
    if (line !== '') return;
    if (kind !== 'message') on(kind, data.join('\n'));
    else if (data.join('\n')) record('server', data.join('\n'));
    data = [], kind = 'message';
  }) };
}

// HTTP+SSE answers on another connection than it is asked on: both have the endpoint's name.
const sessionOf = target => target.includes('?') ? new URL(target, 'http://localhost').search : undefined;

// One exchange is one stream: its version is in its header, or in the answer to `initialize`.
function forward(log, target, request, response) {
  const version = request.headers['mcp-protocol-version'];
  let record = recorder(log, version, sessionOf(request.url));
  const on = (kind, data) => { if (kind === 'endpoint') record = recorder(log, version, sessionOf(data)); };
  const sent = [];
  const upstream = http.request(new URL(request.url, target), { method: request.method,
    headers: { ...request.headers, host: target.host } }, answer => {
    const tap = responseTap(answer, (...what) => record(...what), on);
    response.writeHead(answer.statusCode, answer.headers);
    response.flushHeaders();
    answer.on('data', part => { tap.data(part); response.write(part); });
    answer.on('end', () => { tap.end(); response.end(); });
    answer.on('error', () => response.destroy());
  });
  request.on('data', part => { sent.push(part); upstream.write(part); });
  request.on('end', () => {
    if (sent.length) record('client', Buffer.concat(sent).toString());
    upstream.end();
  });
  response.on('close', () => upstream.destroy());
  upstream.on('error', () => response.destroy());
}

export async function tapHttp(log, url) {
  const target = new URL(url);
  const server = http.createServer((request, response) => forward(log, target, request, response));
  await new Promise(ready => server.listen(0, '127.0.0.1', ready));
  return { url: `http://127.0.0.1:${server.address().port}${target.pathname}`,
    close: () => { server.closeAllConnections(); server.close(); } };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) tapStdio(process.argv[2], process.argv.slice(3));
