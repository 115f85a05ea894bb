import { describe, expect, it } from 'vitest';
import { checkDocument, parseDocument } from '../../../../fakes/github/graphql/parser.ts';

function problems(text: string, variables: Readonly<Record<string, unknown>>): readonly string[] {
  const read = parseDocument(text);
  if (!read.ok) throw new Error(read.message);
  return checkDocument(read, variables).map((error) => error.message);
}

const COMMIT = `mutation ($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}`;

const input = {
  branch: { repositoryNameWithOwner: 'ana/shop', branchName: 'topic' },
  message: { headline: 'x' },
  expectedHeadOid: 'a'.repeat(40),
  fileChanges: { additions: [{ path: 'a.ts', contents: 'eA==' }], deletions: [{ path: 'b.ts' }] },
};

const encoded = { additions: [{ path: 'a', contents: '%' }] };

/** The rules that GitHub and this fake add to those of the GraphQL library. */
describe('GraphQL documents', () => {
  it.each([
    ['{ a', 'Syntax Error: Expected Name, found <EOF>.'],
    ['{ a } { b }', 'The fake GitHub accepts exactly one operation in a document'],
    [`{ a ${'b '.repeat(20_000)}}`, 'Syntax Error: Document contains more than 10000 tokens. Parsing aborted.'],
  ])('%j is refused before it is checked', (text, message) => {
    expect(parseDocument(text)).toEqual({ ok: false, message });
  });

  it.each([
    ['{ viewer { login } }', {}, "Field 'viewer' doesn't exist on type 'Query'"],
    ['{ node(id: "x") { } }', {}, 'A selection is empty'],
    ['subscription { node(id: "x") { id } }', {}, 'subscription'],
    ['{ node(id: "x") { __typename } }', { y: 1 }, 'Variable $y is given but the operation does not declare it'],
    [COMMIT, { input: { ...input, author: 'x' } }, 'not to include unknown field "author"'],
    [COMMIT, { input: { ...input, expectedHeadOid: 'main' } }, 'Not a valid GitObjectID'],
    [COMMIT, { input: { ...input, fileChanges: encoded } }, 'Not a valid Base64String'],
  ])('%j is refused by the schema', (text, variables, message) => {
    expect(problems(text, variables).join('\n')).toContain(message);
  });
});
