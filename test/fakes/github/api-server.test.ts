import { Octokit } from '@octokit/rest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { appClient, openShop, READ, type Shop, silentLog, tokenClient, WRITE } from './shop.ts';

let shop: Shop;

beforeEach(async () => {
  shop = await openShop();
});

afterEach(() => shop.github.close());

const COMMIT = `mutation commit($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}`;

function commitInput(expectedHeadOid: string, text: string) {
  return {
    branch: { repositoryNameWithOwner: 'ana/shop', branchName: 'topic' },
    message: { headline: 'Count louder', body: 'Approved-by: ana' },
    expectedHeadOid,
    fileChanges: { additions: [{ path: 'src/total.ts', contents: Buffer.from(text).toString('base64') }] },
  };
}

function review(client: Octokit) {
  const body = 'Louder:\n```suggestion\nFIVE!\n```';
  const comments = [{ path: 'src/total.ts', body, line: 5, side: 'RIGHT' }];
  return client.rest.pulls.createReview({ ...shop.pullParams, event: 'COMMENT', body: 'One proposal', comments });
}

describe('tokens', () => {
  it('creates tokens in the long format for the requested repositories and permissions', async () => {
    const { data } = await appClient(shop).rest.apps.createInstallationAccessToken({
      installation_id: shop.installation.id,
      repositories: ['shop'],
      permissions: { contents: 'read' },
    });
    expect(data.token).toMatch(/^ghs_\d+_[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(data.token.length).toBeGreaterThan(450);
    expect(data.permissions).toEqual({ contents: 'read', metadata: 'read' });
    expect(data.repositories?.map(({ full_name }) => full_name)).toEqual(['ana/shop']);
    expect(shop.github.violations).toEqual([]);
  });

  it('refuses more permissions or repositories than the installation has (I7)', async () => {
    const createToken = (more: object) =>
      appClient(shop).rest.apps.createInstallationAccessToken({ installation_id: shop.installation.id, ...more });
    await expect(createToken({ permissions: { administration: 'write' } })).rejects.toMatchObject({ status: 422 });
    await expect(createToken({ repository_ids: [1] })).rejects.toMatchObject({ status: 422 });
  });

  it('answers a write with a read token 403 and records a violation (I8)', async () => {
    const client = await tokenClient(shop, READ);
    await expect(review(client)).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('Resource not accessible by integration'),
    });
    const input = commitInput(shop.pull.head.sha, 'x');
    await expect(client.graphql(COMMIT, { input })).rejects.toMatchObject({ errors: [{ type: 'FORBIDDEN' }] });
    expect(shop.github.violations).toEqual([
      'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews needs pull_requests=write',
      'graphql createCommitOnBranch: Resource not accessible by integration',
    ]);
    expect(shop.github.state().repositories.get(shop.repository.id)?.pulls.get(shop.pull.number)?.reviews.size).toBe(0);
  });

  it('answers 404 for a repository outside the token and records a violation (I11)', async () => {
    const other = shop.github.apply(OPERATIONS.addRepository, {
      ownerId: shop.ana.id,
      name: 'other',
      files: new Map(),
    });
    const client = await tokenClient(shop, READ);
    await expect(client.rest.repos.get({ owner: 'ana', repo: other.name })).rejects.toMatchObject({ status: 404 });
    expect(shop.github.violations).toEqual(['GET /repos/{owner}/{repo} on other, which the token leaves out']);
  });
});

describe('refusals', () => {
  it('records unknown routes, body fields and GraphQL fields as violations', async () => {
    const client = await tokenClient(shop, WRITE);
    await expect(client.request('GET /user')).rejects.toMatchObject({ status: 404 });
    await client.request('POST /repos/{owner}/{repo}/git/blobs', {
      owner: 'ana',
      repo: 'shop',
      content: 'x',
      color: 'red',
    });
    await expect(client.graphql('{ viewer { login } }')).rejects.toThrow("Field 'viewer' doesn't exist");
    expect(shop.github.violations).toEqual([
      'unknown route GET /user',
      'POST /repos/{owner}/{repo}/git/blobs request body: / must NOT have additional properties (color)',
      "graphql viewer: Field 'viewer' doesn't exist on type 'Query'",
    ]);
  });

  it('answers wrong credentials 401', async () => {
    const client = new Octokit({ baseUrl: shop.github.url, auth: 'ghs_1_not.a.token', log: silentLog });
    await expect(client.rest.repos.get({ owner: 'ana', repo: 'shop' })).rejects.toMatchObject({
      status: 401,
      message: expect.stringContaining('Bad credentials'),
    });
  });
});
