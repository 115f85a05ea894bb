import { describe, expect, it } from 'vitest';
import {
  checkDocument,
  type ParsedDocument,
  parseDocument,
  rootFieldOf,
} from '../../../../fakes/github/graphql/parser.ts';

function parsed(text: string): ParsedDocument {
  const read = parseDocument(text);
  if (!read.ok) throw new Error(read.message);
  return read;
}

function problems(text: string, variables: Readonly<Record<string, unknown>> = {}): readonly string[] {
  return checkDocument(parsed(text), variables).map((error) => error.message);
}

const THREADS = `
  query threads($owner: String!, $name: String!, $number: Int!, $after: String) { # the pull request's threads
    repository(owner: $owner, name: $name) {
      pullRequest(number: $number) {
        reviewThreads(first: 100, after: $after) {
          nodes { id isResolved isOutdated comments(first: 1) { nodes { databaseId } } }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
  }`;

const COMMIT = `mutation ($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}`;

const input = {
  branch: { repositoryNameWithOwner: 'ana/shop', branchName: 'topic' },
  message: { headline: 'x' },
  expectedHeadOid: 'a'.repeat(40),
  fileChanges: { additions: [{ path: 'a.ts', contents: 'eA==' }], deletions: [{ path: 'b.ts' }] },
};

describe('parsing GraphQL documents', () => {
  it('names a request by its first field, not by the alias', () => {
    const read = parsed('query q($n: Int = 5) { a: node(id: "x\\n") { ... on PullRequest { number } __typename } }');
    expect(read.operation).toMatchObject({ operation: 'query', name: { value: 'q' } });
    expect(rootFieldOf(read.operation)).toBe('node');
  });

  it.each([
    ['', 'Syntax Error: Unexpected <EOF>.'],
    ['{ a', 'Syntax Error: Expected Name, found <EOF>.'],
    ['{ a } { b }', 'The fake GitHub accepts exactly one operation in a document'],
    ['{ a(x: %) }', 'Syntax Error: Unexpected character: "%".'],
    [`{ a ${'b '.repeat(20_000)}}`, 'Syntax Error: Document contains more than 10000 tokens. Parsing aborted.'],
  ])('refuses %j', (text, message) => {
    expect(parseDocument(text)).toEqual({ ok: false, message });
  });
});

describe('checking GraphQL against the schema', () => {
  it('accepts the documents of the product', () => {
    expect(problems(THREADS, { owner: 'ana', name: 'shop', number: 7 })).toEqual([]);
    expect(problems(COMMIT, { input })).toEqual([]);
    expect(problems('mutation { resolveReviewThread(input: {threadId: "T"}) { thread { id } } }')).toEqual([]);
    expect(
      problems('mutation { addReaction(input: {subjectId: "T", content: EYES}) { reaction { content } } }'),
    ).toEqual([]);
  });

  it.each([
    ['{ viewer { login } }', {}, "Field 'viewer' doesn't exist on type 'Query'"],
    [
      '{ repository(owner: "a", name: "b") }',
      {},
      'Field "repository" of type "Repository" must have a selection of subfields',
    ],
    [
      '{ repository(owner: "a", name: "b") { name { x } } }',
      {},
      'Field "name" must not have a selection since type "String!" has no subfields',
    ],
    ['{ repository(owner: "a") { name } }', {}, 'Argument "Query.repository(name:)" of type "String!" is required'],
    ['{ repository(owner: "a", name: "b", x: 1) { name } }', {}, 'Unknown argument "x" on field "Query.repository"'],
    ['{ node(id: $id) { __typename } }', {}, 'Variable "$id" is not defined'],
    [
      'query ($id: String!) { node(id: $id) { __typename } }',
      { id: 'x' },
      'Variable "$id" of type "String!" used in position expecting type "ID!"',
    ],
    ['query ($id: ID!) { node(id: $id) { __typename } }', {}, 'Variable "$id"'],
    ['{ node(id: "x") { ... on Team { name } } }', {}, 'Unknown type "Team"'],
    ['{ node(id: "x") { ... on User { login } } }', {}, 'can never be of type "User"'],
    ['{ }', {}, 'A selection is empty'],
    ['{ node(id: "x") { } }', {}, 'A selection is empty'],
    ['subscription { node(id: "x") { id } }', {}, 'subscription'],
    ['mutation { addReaction(input: {subjectId: "x", content: "EYES"}) { reaction { id } } }', {}, 'ReactionContent'],
    ['{ node(id: "x") { __typename } }', { y: 1 }, 'Variable $y is given but the operation does not declare it'],
    ['mutation { resolveReviewThread(input: {}) { thread { id } } }', {}, 'threadId'],
    [
      'mutation { addReaction(input: {subjectId: "x", content: SMILE}) { reaction { id } } }',
      {},
      'Value "SMILE" does not exist in "ReactionContent" enum',
    ],
    [
      COMMIT,
      { input: { ...input, author: 'x' } },
      'Expected value of type "CreateCommitOnBranchInput" not to include unknown field "author"',
    ],
    [COMMIT, { input: { ...input, expectedHeadOid: 'main' } }, 'Not a valid GitObjectID'],
    [COMMIT, { input: { ...input, fileChanges: { additions: [{ path: 'a' }] } } }, 'contents'],
    [
      COMMIT,
      { input: { ...input, fileChanges: { additions: [{ path: 'a', contents: '%' }] } } },
      'Not a valid Base64String',
    ],
  ])('refuses %j', (text, variables, message) => {
    expect(problems(text, variables).join('\n')).toContain(message);
  });
});
