import Koa from 'koa';

/**
 * What the node is compared with: Koa and nothing else. It reads the whole body, parses it, and sends a configured answer, so that bodies
 * have the same size as the node's in both directions.
 */

let answer: object = {};

const app = new Koa();
app.use(async (context) => {
  const chunks: Buffer[] = [];
  for await (const chunk of context.req) chunks.push(chunk);
  if (chunks.length > 0) JSON.parse(Buffer.concat(chunks).toString());
  context.body = answer;
});

const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' && address !== null ? address.port : 0);
});

process.on('message', (message: { readonly answer: object }) => {
  answer = message.answer;
  process.send?.('set');
});
process.on('disconnect', () => process.exit(0));
