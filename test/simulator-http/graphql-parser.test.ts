import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkOperation } from '../../src/simulator/http/graphql-check.ts';
import { type OperationNode, rootField } from '../../src/simulator/http/graphql-document.ts';
import { parseDocument } from '../../src/simulator/http/graphql-parser.ts';

function parsed(text: string): OperationNode {
  const document = parseDocument(text);
  if (!document.ok) throw new Error(document.message);
  return document.operation;
}

function problems(text: string, variables: Readonly<Record<string, unknown>> = {}): readonly string[] {
  return checkOperation(parsed(text), variables).map((error) => error.message);
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

describe('reading GraphQL documents', () => {
  it('reads operation, variables, arguments, aliases and fragments', () => {
    const operation = parsed(
      'query q($n: Int = 5) { a: node(id: "x\\n") { ... on PullRequest { number } __typename } }',
    );
    expect(operation).toMatchObject({ kind: 'query', name: 'q' });
    expect(operation.variables).toEqual([{ name: 'n', type: 'Int', fallback: { kind: 'literal', value: 5 } }]);
    expect(rootField(operation)).toBe('node');
    expect(operation.selections[0]).toMatchObject({
      alias: 'a',
      args: new Map([['id', { kind: 'literal', value: 'x\n' }]]),
      selections: [
        { kind: 'fragment', on: 'PullRequest' },
        { kind: 'field', name: '__typename' },
      ],
    });
  });

  it.each([
    ['', 'Unexpected end of document'],
    ['{ a', 'Unexpected end of document'],
    ['{ }', 'A selection is empty'],
    ['{ a } { b }', 'Parse error on "{"'],
    ['{ a(x: %) }', 'Parse error on "%"'],
    ['subscription { a }', 'subscription is not an operation known here'],
    ['{ a @include(if: true) }', 'Parse error on "@"'],
  ])('refuses %j', (text, message) => {
    expect(parseDocument(text)).toEqual({ ok: false, message });
  });

  it('answers any text with a document or a message, never an exception', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '(',
      ')',
      '[',
      ']',
      ':',
      '!',
      '$',
      '...',
      'on',
      'a',
      '1',
      '"s"',
      '"',
      ' ',
      '@',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        expect(typeof parseDocument(pieces.join(' ')).ok).toBe('boolean');
      }),
      { numRuns: 500 },
    );
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
    ['{ repository(owner: "a", name: "b") }', {}, 'Field must have selections'],
    ['{ repository(owner: "a", name: "b") { name { x } } }', {}, "Selections can't be made on scalars"],
    ['{ repository(owner: "a") { name } }', {}, "Field 'repository' is missing required arguments: name"],
    ['{ repository(owner: "a", name: "b", x: 1) { name } }', {}, "Field 'repository' doesn't accept argument 'x'"],
    ['{ node(id: $id) { __typename } }', {}, 'Variable $id is used but not declared'],
    ['query ($id: String!) { node(id: $id) { __typename } }', { id: 'x' }, 'Type mismatch on variable $id'],
    ['query ($id: ID!) { node(id: $id) { __typename } }', {}, '$id of type ID! was provided no value'],
    ['{ node(id: "x") { ... on Team { name } } }', {}, "Fragment on Team can't be spread inside Node"],
    ['{ node(id: "x") { __typename } }', { y: 1 }, 'Variable $y is given but the operation does not declare it'],
    ['mutation { resolveReviewThread(input: {}) { thread { id } } }', {}, "Argument 'threadId' on InputObject"],
    [
      'mutation { addReaction(input: {subjectId: "x", content: SMILE}) { reaction { id } } }',
      {},
      'was provided invalid value',
    ],
    [COMMIT, { input: { ...input, author: 'x' } }, '$input.author (Field is not defined on CreateCommitOnBranchInput)'],
    [COMMIT, { input: { ...input, expectedHeadOid: 'main' } }, '$input.expectedHeadOid of type GitObjectID!'],
    [
      COMMIT,
      { input: { ...input, fileChanges: { additions: [{ path: 'a' }] } } },
      '$input.fileChanges.additions.0.contents',
    ],
    [COMMIT, { input: { ...input, fileChanges: { additions: [{ path: 'a', contents: '%' }] } } }, 'Base64String!'],
  ])('refuses %j', (text, variables, message) => {
    expect(problems(text, variables).join('\n')).toContain(message);
  });
});
