import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { heavyQueries, youngTokens } from '../../../fakes/github/faults.ts';
import { LOST_RACES, RULE_REFUSALS } from '../../../fakes/github/known-errors.ts';
import { openShop, READ, type Shop, tokenClient, WRITE } from './shop.ts';

let shop: Shop;

beforeEach(async () => {
  shop = await openShop();
});

afterEach(() => shop.github.close());

const COMMIT = `mutation commit($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}`;

function commit(client: Awaited<ReturnType<typeof tokenClient>>): Promise<unknown> {
  const input = {
    branch: { repositoryNameWithOwner: 'ana/shop', branchName: 'topic' },
    message: { headline: 'Count louder' },
    expectedHeadOid: shop.pull.head.sha,
    fileChanges: { additions: [{ path: 'a.txt', contents: '' }] },
  };
  return client.graphql(COMMIT, { input });
}

const commentsQuery = (count: number) => `query comments($owner: String!, $repo: String!) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: 1) {
      reviewThreads(last: ${count}) { nodes { comments(first: 10) { nodes { body } } } }
      comments(last: 1) { nodes { body } }
    }
  }
}`;

const NAMES = { owner: 'ana', repo: 'shop' };

describe('errors of the real GitHub', () => {
  it.each(LOST_RACES)('a commit that lost a race is answered %s, and nothing is applied', async (error) => {
    const client = await tokenClient(shop, WRITE);
    shop.github.faults.add({ route: 'graphql createCommitOnBranch', kind: 'known-error', error });
    await expect(commit(client)).rejects.toMatchObject({
      errors: [{ path: ['createCommitOnBranch'], message: expect.stringContaining(shop.pull.head.sha) }],
    });
    await commit(client);
  });

  it.each(RULE_REFUSALS)('a refusal by %s has its own type in GraphQL and status 409 in REST', async (error) => {
    const client = await tokenClient(shop, WRITE);
    shop.github.faults.add({ route: '*', kind: 'known-error', error, times: 2 });
    await expect(commit(client)).rejects.toMatchObject({
      errors: [{ type: error === 'ruleset' ? 'FORBIDDEN' : 'BRANCH_PROTECTION_RULE_VIOLATION' }],
    });
    const blob = client.rest.git.createBlob({ ...NAMES, content: 'x' });
    await expect(blob).rejects.toMatchObject({ status: 409 });
    expect(shop.github.violations).toEqual([]);
  });

  it.each([
    ['unknown-token', 401],
    ['unknown-scope', 403],
  ] as const)('a token in its first seconds is answered %s', async (error, status) => {
    shop.github.faults.add(youngTokens(error, 60_000));
    const client = await tokenClient(shop, READ);
    await expect(client.rest.repos.get(NAMES)).rejects.toMatchObject({ status });
    shop.github.faults.clear();
    shop.github.faults.add(youngTokens(error, 0));
    await client.rest.repos.get(NAMES);
  });

  it('refuses only the queries that ask for too many nodes', async () => {
    const client = await tokenClient(shop, READ);
    shop.github.faults.add(heavyQueries('resource-limits', 111));
    await client.graphql(commentsQuery(10), NAMES);
    await expect(client.graphql(commentsQuery(11), NAMES)).rejects.toMatchObject({
      errors: [{ type: 'RESOURCE_LIMITS_EXCEEDED' }],
    });
  });
});

describe('a replica that lags', () => {
  it('answers a read as of before the last write, once, and takes writes as they are', async () => {
    const client = await tokenClient(shop, WRITE);
    const { data } = await client.rest.issues.createComment({ ...NAMES, issue_number: 1, body: 'one' });
    const read = () => client.rest.issues.getComment({ ...NAMES, comment_id: data.id });
    shop.github.faults.add({ route: '*', kind: 'lag' });
    await expect(read()).rejects.toMatchObject({ status: 404 });
    await client.rest.issues.updateComment({ ...NAMES, comment_id: data.id, body: 'two' });
    shop.github.faults.add({ route: '*', kind: 'lag', times: 2 });
    expect((await read()).data.body).toBe('one');
    await client.rest.issues.updateComment({ ...NAMES, comment_id: data.id, body: 'three' });
    expect((await read()).data.body).toBe('three');
  });
});

describe('as on GitHub', () => {
  it('page links name the repository by its id, and requests for them are served', async () => {
    const client = await tokenClient(shop, WRITE);
    for (const body of ['one', 'two', 'three'])
      await client.rest.issues.createComment({ ...NAMES, issue_number: 1, body });
    const page = { ...NAMES, issue_number: 1, per_page: 1 };
    const { headers } = await client.rest.issues.listComments(page);
    expect(headers.link).toContain(`/repositories/${shop.repository.id}/issues/1/comments?`);
    const listed = await client.paginate(client.rest.issues.listComments, page);
    expect(listed.map(({ body }) => body)).toEqual(['one', 'two', 'three']);
    expect(shop.github.violations).toEqual([]);
  });
});
