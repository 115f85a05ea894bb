import { afterEach, describe, expect, it } from 'vitest';
import { createUserActor } from '../../../fakes/github/fake-github.ts';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { openShop, READ, type Shop, tokenClient } from './shop.ts';

const RULES = 'GET /repos/{owner}/{repo}/rules/branches/{branch}';

const server = { version: '3.10.0', missingRoutes: [RULES] };

let shop: Shop;

afterEach(() => shop.github.close());

async function ask(path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${shop.github.url}${path}`, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('the fake Enterprise Server (J12)', () => {
  it('reports a request outside /api as a violation', async () => {
    shop = await openShop({ enterpriseServer: server });
    expect((await ask('/users/ana')).status).toBe(404);
    expect(shop.github.violations).toEqual(['GET /users/ana is not below /api on this server']);
  });

  it('has no limits, short tokens, a version header and only the routes of its version', async () => {
    shop = await openShop({ enterpriseServer: server });
    const client = await tokenClient(shop, READ, '/api/v3');
    const { headers } = await client.rest.users.getByUsername({ username: 'ana' });
    expect(headers).toMatchObject({ 'x-github-enterprise-version': '3.10.0' });
    expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
    await expect(client.rest.rateLimit.get()).rejects.toMatchObject({ status: 404 });
    const branch = { owner: 'ana', repo: 'shop', branch: 'main' };
    await expect(client.request(RULES, branch)).rejects.toMatchObject({ status: 404 });
    const [token = ''] = shop.github.apiServer.serverState().tokens.keys();
    expect(token).toMatch(/^ghs_[A-Za-z0-9]{36}$/);
    expect(shop.github.violations).toEqual([]);
  });

  it('uses its own URLs everywhere and signs no commit', async () => {
    shop = await openShop({ enterpriseServer: server });
    const client = await tokenClient(shop, READ, '/api/v3');
    const { url } = shop.github;
    const { data: pull } = await client.rest.pulls.get(shop.pullParams);
    expect([pull.url, pull.html_url]).toEqual([`${url}/api/v3/repos/ana/shop/pulls/1`, `${url}/ana/shop/pull/1`]);
    expect(JSON.stringify(pull)).not.toMatch(/(?:api\.)?github\.com\//);
    const there = { actor: createUserActor(shop.ana.id), repositoryId: shop.repository.id, number: 1 };
    shop.github.apply(OPERATIONS.mergePullRequest, there);
    const { data: commit } = await client.rest.repos.getCommit({ owner: 'ana', repo: 'shop', ref: 'main' });
    expect(commit.commit).toMatchObject({
      author: { email: `${shop.ana.id}+ana@users.noreply.127.0.0.1` },
      committer: { name: 'GitHub Enterprise', email: 'noreply@127.0.0.1' },
      verification: { verified: false, reason: 'unsigned' },
    });
    expect(commit.author?.login).toBe('ana');
    expect(shop.github.violations).toEqual([]);
  });
});
