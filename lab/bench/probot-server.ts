/** A Probot server with an empty handler, as a yardstick. Prints the URL on which it listens. */
import process from 'node:process';
import { Probot, Server } from 'probot';

const [secret = ''] = process.argv.slice(2);

const server = new Server({
  port: 0,
  host: '127.0.0.1',
  Probot: Probot.defaults({ appId: 1, privateKey: 'none', secret, logLevel: 'fatal' }),
});

await server.load((app) => {
  app.on('issue_comment', () => {});
});

await server.start();

process.stdout.write(`${JSON.stringify({ msg: 'listening', url: `http://127.0.0.1:${server.port}` })}\n`);
