import { Octokit } from '@octokit/rest';
import { verify } from '@octokit/webhooks-methods';
import { afterEach, describe, expect, it } from 'vitest';
import { gatewayFetch } from '../../src/simulator/http/gateway-fetch.ts';
import { flatHeaders, type Listening, listen, readBody } from '../../src/simulator/http/listen.ts';
import { person } from '../../src/simulator/simulator.ts';
import { OPERATIONS } from '../../src/simulator/world/operations.ts';
import { appClient, openShop, type Shop, silent, WRITE } from './shop.ts';

let shop: Shop;
let receiver: Listening | undefined;
afterEach(async () => {
  await receiver?.close();
  receiver = undefined;
  await shop.simulator.close();
});

type Received = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

async function receive(): Promise<{ readonly url: string; readonly received: Received[] }> {
  const received: Received[] = [];
  receiver = await listen((request, response) => {
    void readBody(request).then((body) => {
      received.push({ headers: flatHeaders(request), body: Buffer.from(body).toString('utf8') });
      response.writeHead(202).end();
    });
  });
  return { url: receiver.url, received };
}

describe('the simulator as a whole', () => {
  it('A1, J13: delivers what people do as signed webhooks that fit GitHub’s description', async () => {
    shop = await openShop();
    const { simulator, ana, repository, pull } = shop;
    const { url, received } = await receive();
    simulator.webhookTarget(url);
    const on = { actor: person(ana.id), repositoryId: repository.id };
    const onPull = { ...on, number: pull.number };
    simulator.apply(OPERATIONS.createComment, { ...onPull, body: '/countersign ü' });
    const place = { path: 'src/total.ts', line: 5, commitSha: pull.head.sha };
    const root = simulator.apply(OPERATIONS.createReviewComment, { ...onPull, ...place, body: 'why?' });
    simulator.apply(OPERATIONS.replyToReviewComment, { ...onPull, inReplyTo: root.id, body: '/approve' });
    simulator.apply(OPERATIONS.pushFiles, { ...on, branch: 'topic', files: new Map([['b.txt', 'b']]) });
    simulator.apply(OPERATIONS.closePull, onPull);
    await simulator.settled();
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
      'push',
    ]);
    for (const { headers, body } of received) {
      expect(await verify(simulator.app.webhookSecret, body, headers['x-hub-signature-256'] ?? '')).toBe(true);
      expect(JSON.parse(body).installation.id).toBe(shop.installation.id);
    }
    expect(simulator.deliveries.log.filter(({ statuses }) => statuses[0] === 202)).toHaveLength(8);
    expect(simulator.violations).toEqual([]);
  });

  it('I9: ends tokens after an hour of its own clock, and judges the App’s key by it', async () => {
    let skew = 0;
    shop = await openShop({ now: () => Date.now() + skew });
    const app = appClient(shop);
    const { data } = await app.rest.apps.createInstallationAccessToken({ installation_id: shop.installation.id });
    const client = new Octokit({ baseUrl: shop.simulator.url, auth: data.token, log: silent });
    skew = 59 * 60_000;
    expect((await client.rest.repos.get({ owner: 'ana', repo: 'shop' })).status).toBe(200);
    skew = 61 * 60_000;
    await expect(client.rest.repos.get({ owner: 'ana', repo: 'shop' })).rejects.toMatchObject({ status: 401 });
    // The client signs by another clock, reads ours from the `date` header and signs again.
    expect((await app.rest.apps.getAuthenticated()).status).toBe(200);
    expect(shop.simulator.requests.slice(-2).map(({ status }) => status)).toEqual([401, 200]);
  });

  it('refuses a key that is not the App’s', async () => {
    shop = await openShop();
    const header = Buffer.from('{"alg":"RS256"}').toString('base64url');
    const seconds = Math.floor(Date.now() / 1000);
    const claims = { iss: shop.simulator.app.id, iat: seconds, exp: seconds + 500 };
    const jwt = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.AAAA`;
    for (const token of [jwt, 'nonsense', 'a.b.c']) {
      const answer = await fetch(`${shop.simulator.url}/app`, { headers: { authorization: `Bearer ${token}` } });
      expect(answer.status).toBe(401);
    }
  });

  it('answers without a socket: redirects, faults and silence included', async () => {
    shop = await openShop();
    const { gateway, url, faults } = shop.simulator;
    const fetchHere = gatewayFetch(gateway);
    const { data } = await appClient(shop).rest.apps.createInstallationAccessToken({
      installation_id: shop.installation.id,
      permissions: WRITE,
    });
    const before = shop.simulator.requests.length;
    const client = new Octokit({ baseUrl: url, auth: data.token, log: silent, request: { fetch: fetchHere } });
    const place = { owner: 'ana', repo: 'shop' };
    expect((await client.rest.issues.createComment({ ...place, issue_number: 1, body: 'x' })).status).toBe(201);
    const archive = await client.rest.repos.downloadTarballArchive({ ...place, ref: 'main' });
    expect(archive.status).toBe(200);
    faults.add({ on: '*', kind: 'reset', applied: false });
    await expect(client.rest.repos.get(place)).rejects.toThrow();
    faults.add({ on: '*', kind: 'hang', applied: false });
    const request = { signal: AbortSignal.timeout(20) };
    await expect(client.rest.repos.get({ ...place, request })).rejects.toThrow();
    expect(shop.simulator.requests.length - before).toBe(5);
    expect(shop.simulator.violations).toEqual([]);
  });

  it('logs who asked what with which rights', async () => {
    shop = await openShop();
    const app = appClient(shop);
    const { data } = await app.rest.apps.createInstallationAccessToken({
      installation_id: shop.installation.id,
      repository_ids: [shop.repository.id],
      permissions: { contents: 'read' },
    });
    const client = new Octokit({ baseUrl: shop.simulator.url, auth: data.token, log: silent });
    await client.rest.repos.get({ owner: 'ana', repo: 'shop' });
    expect(shop.simulator.requests.map(({ name }) => name)).toEqual([
      'POST /app/installations/{installation_id}/access_tokens',
      'GET /repos/{owner}/{repo}',
    ]);
    expect(shop.simulator.requests[0]).toMatchObject({ caller: { kind: 'app' }, status: 201 });
    expect(shop.simulator.requests[1]?.caller).toMatchObject({
      kind: 'installation',
      token: data.token,
      repositoryIds: [shop.repository.id],
      permissions: { contents: 'read', metadata: 'read' },
    });
  });
});
