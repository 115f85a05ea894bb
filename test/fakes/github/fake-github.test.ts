import { Octokit } from '@octokit/rest';
import { verify } from '@octokit/webhooks-methods';
import { afterEach, describe, expect, it } from 'vitest';
import { createUserActor } from '../../../fakes/github/fake-github.ts';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import {
  flattenHeaders,
  type LocalHttpServer,
  readIncomingBody,
  startLocalServer,
} from '../../../fakes/lib/http-server.ts';
import { appClient, openShop, type Shop, silentLog } from './shop.ts';

let shop: Shop;

let receiver: LocalHttpServer | undefined;

afterEach(async () => {
  await receiver?.close();
  receiver = undefined;
  await shop.github.close();
});

type Received = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

async function receive(): Promise<{ readonly url: string; readonly received: Received[] }> {
  const received: Received[] = [];
  receiver = await startLocalServer((request, response) => {
    void readIncomingBody(request).then((body) => {
      received.push({ headers: flattenHeaders(request), body: Buffer.from(body).toString('utf8') });
      response.writeHead(202).end();
    });
  });
  return { url: receiver.url, received };
}

describe('the fake GitHub', () => {
  it('delivers people’s actions as signed webhooks that match GitHub’s description (A1, J13)', async () => {
    shop = await openShop();
    const { github, ana, repository, pull } = shop;
    const { url, received } = await receive();
    github.setWebhookTarget(url);
    const on = { actor: createUserActor(ana.id), repositoryId: repository.id };
    const onPull = { ...on, number: pull.number };
    github.apply(OPERATIONS.createIssueComment, { ...onPull, body: '/countersign ü' });
    const place = { path: 'src/total.ts', line: 5, commitSha: pull.head.sha };
    const root = github.apply(OPERATIONS.createReviewComment, { ...onPull, ...place, body: 'why?' });
    github.apply(OPERATIONS.replyToReviewComment, { ...onPull, inReplyTo: root.id, body: '/approve' });
    github.apply(OPERATIONS.pushFiles, { ...on, branch: 'topic', files: new Map([['b.txt', 'b']]) });
    github.apply(OPERATIONS.closePullRequest, onPull);
    await github.whenIdle();
    const names = received.map(({ headers, body }) => {
      const { action } = JSON.parse(body);
      return `${headers['x-github-event']}${action === undefined ? '' : `.${action}`}`;
    });
    expect(names.toSorted()).toEqual([
      'issue_comment.created',
      'pull_request.closed',
      'pull_request.synchronize',
      'pull_request_review.submitted',
      'pull_request_review.submitted',
      'pull_request_review_comment.created',
      'pull_request_review_comment.created',
    ]);
    for (const { headers, body } of received) {
      expect(await verify(github.app.webhookSecret, body, headers['x-hub-signature-256'] ?? '')).toBe(true);
      expect(JSON.parse(body).installation.id).toBe(shop.installation.id);
    }
    expect(github.deliveries.log.filter(({ statuses }) => statuses[0] === 202)).toHaveLength(7);
    expect(github.violations).toEqual([]);
  });

  it('expires tokens after an hour and checks JWTs by its own clock (I9)', async () => {
    let skew = 0;
    shop = await openShop({ now: () => Date.now() + skew });
    const app = appClient(shop);
    const { data } = await app.rest.apps.createInstallationAccessToken({ installation_id: shop.installation.id });
    const client = new Octokit({ baseUrl: shop.github.url, auth: data.token, log: silentLog });
    skew = 59 * 60_000;
    expect((await client.rest.repos.get({ owner: 'ana', repo: 'shop' })).status).toBe(200);
    skew = 61 * 60_000;
    await expect(client.rest.repos.get({ owner: 'ana', repo: 'shop' })).rejects.toMatchObject({ status: 401 });
    // The client signs with its own clock, then reads the server’s time from the `date` header and signs again.
    expect((await app.rest.apps.getAuthenticated()).status).toBe(200);
    expect(shop.github.requests.slice(-2).map(({ status }) => status)).toEqual([401, 200]);
  });
});
