import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { parseDelivery } from '../../src/cli/explain/read-delivery.ts';
import { COMMANDS } from '../../src/core/commands/all-commands.ts';
import { unifiedDiffOf } from '../../src/core/edits/change.ts';
import { renderPostedProposal } from '../../src/core/messages/proposal/read-back.ts';
import { renderCommitMessage } from '../../src/core/policy/commit-message.ts';
import {
  ana,
  bigint,
  inConversation,
  inSuggestion,
  links,
  proposal,
  view,
} from '../../test/unit/core/messages/sample.ts';

const ROOT = join(import.meta.dirname, '../..');

const DELIVERIES = join(ROOT, 'test/fixtures/deliveries');

/** Recorded deliveries, as `countersign explain` reads them. */
export function deliveryFiles(): readonly string[] {
  return readdirSync(DELIVERIES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .filter((text) => text.includes('x-github-event'));
}

/** Bodies of webhooks, as they arrive. */
export function webhookBodies(): readonly string[] {
  return deliveryFiles().map((file) => {
    const delivery = parseDelivery(file, null);
    return JSON.stringify(delivery.kind === 'parsed' ? delivery.value.payload : {});
  });
}

/** Comments of people, one for each command and form. */
export function comments(): readonly string[] {
  return [
    ...Object.values(COMMANDS).map(({ syntax }) => syntax.replace(/[[\]<>…]/g, '')),
    '/approve k7q2 m3x9\nThanks, that reads better.',
    '/deny the name is used by the plugin',
    '@countersign could you keep the old name?',
    '> `k7q2` · 0123456789ab\n\n/approve',
    '```suggestion\nlet total = 0n;\n```',
    'On Mon, Ben wrote:\n> /approve\n\n-- \nBen',
    '1. one\n   /approve\n\n    /approve\n',
  ];
}

export const SETTINGS_FILES: readonly string[] = [
  '',
  readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8').match(/```yaml\n([\s\S]*?)```/)?.[1] ?? '',
  'approvers: write\nrequired_approvals: 2\nprotected_paths:\n  - "**/*.pem"\n',
];

export const CODEOWNERS_FILES: readonly string[] = [
  '*       @acme/core\n*.ts    @ana @ben\n/docs/  @acme/writers # and nobody else\nREADME.md\n',
  'src/* @ana\nsrc/deep/ @ben\n/src/total.ts @acme/core\ndocs\n',
  '# owners\r\n\r\n**/docs/*.md docs@example.com\r\n/apps/[ab]/ @ana\r\n!x @ben\r\nwith\\ space/ @ben\r\nx @ana\r\n',
];

/** Source and data files, each below a line with its name. */
export const SOURCE_FILES: readonly string[] = [
  `a.ts\nexport function sum(items: bigint[]): string {\n  return \`\${items.length} of {\`;\n}\n`,
  'b.json\n{"name": "shop", "scripts": {"test": "vitest"}, "files": ["a", 1.5, null]}\n',
  'c.toml\n[package]\nname = "shop"\nkeywords = ["a", "b"]\n\n[[bin]]\npath = \'main\'\n',
  'd.yml\non: push\njobs:\n  test:\n    steps:\n      - run: |\n          npm test\n',
  'e.py\ndef sum(items):\n    """Adds."""\n    return {"total": [*items]}\n',
  'f.go\npackage shop\n\nfunc Sum(items []int) int {\n\treturn len(items)\n}\n',
];

/** The comment that shows a change as a suggestion, and the one that shows it as a diff. */
export const PAGES: readonly string[] = [inSuggestion, inConversation].map(
  (placement) => renderPostedProposal(view(proposal(bigint), placement)).body,
);

export const DIFFS: readonly string[] = [
  unifiedDiffOf(bigint.payload) ?? '',
  '@@ -1,2 +1,2 @@ export function sum\n-a\r\n+b\r\n c\n\\ No newline at end of file\n@@ -9,0 +10,1 @@\n+d\n',
  '@@ -1,3 +1,3 @@\n -----BEGIN RSA PRIVATE KEY-----\n-MIIEpAIBAAKCAQEAy8Dbv8prpJ/0kKhlGeJYozo2t60EG8L0561g13R29LvMR5hy\n+x\n -----END RSA PRIVATE KEY-----\n',
];

export function commitMessages(): readonly string[] {
  const entry = {
    proposalId: 'k7q2',
    digest: bigint.digest,
    range: null,
    setDigest: null,
    approvedBy: [ana],
    path: 'src/total.ts',
  };
  const plain = { ...entry, from: null, undoes: null, description: 'Edit src/total.ts' };
  const region = { oldStart: 2, oldLines: 1, newStart: 2, newLines: 1 };
  return [
    renderCommitMessage([plain, { ...plain, proposalId: 'm3x9', range: region }], links),
    'Fix it\n\nCo-authored-by: Ben <ben@example.com>\n',
  ];
}

export const MODEL_RESPONSES: readonly string[] = [
  { content: 'All done.', tool_calls: null },
  { content: null, tool_calls: [toolCall('edit_file', { path: 'src/total.ts', old_string: 'a', new_string: 'b' })] },
  {
    content: 'Two.',
    reasoning_content: 'First I look.',
    reasoning_details: [{ index: 0, type: 'reasoning.text', text: 'First', signature: 'c2ln' }],
    tool_calls: [toolCall('read_file', { path: 'a' }), toolCall('search', { query: 'b', glob: '*.ts' })],
  },
].map((message) =>
  JSON.stringify({
    choices: [{ message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 2 } },
  }),
);

function toolCall(name: string, input: object): object {
  return { id: `call-${name}`, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

export const EVENT_STREAMS: readonly string[] = [
  ': hello\n\ndata: {"choices":[{"delta":{"content":"größer"}}]}\n\ndata: [DONE]\n\n',
  'event: error\r\ndata: {"error":\r\ndata:  "overloaded"}\r\n\r\nid: 7\r\ndata\r\n',
  '\uFEFFevent:ping\r\rdata:one\rdata: two\r\r',
];

export const TOOL_ARGUMENTS: readonly string[] = [
  {
    path: 'src/total.ts',
    old_string: 'let total = 0;',
    new_string: 'let total = 0n;',
    replace_all: false,
    reason: 'x',
  },
  { path: 'src/new.ts', content: 'a\n' },
  { from: 'a', to: 'b' },
  { path: 'a', start: 1, end: '20', ref: 'base' },
  { query: 'a.b', regex: true, ignore_case: true, context: 2, glob: '**/*.ts' },
].map((input) => JSON.stringify(input));

export const COMMIT_OBJECTS: readonly string[] = [
  `tree ${'a'.repeat(40)}\nauthor Ana <ana@example.com> 1 +0000\ncommitter Ana <ana@example.com> 1 +0000\nmergetag object x\n gpgsig no header\n\ngpgsig no header\n`,
  `tree ${'a'.repeat(40)}\nparent ${'b'.repeat(40)}\nauthor Ana <ana@example.com> 1 +0000\ncommitter GitHub <noreply@github.com> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nFix it\n`,
];

/** GitHub's archive of a commit, with a long path. */
export async function archive(): Promise<Buffer> {
  const tar = pack();
  tar.entry({ name: 'shop-1/src/total.ts' }, 'export {};\n');
  tar.entry({ name: `shop-1/${'deep/'.repeat(40)}file.txt`, pax: { comment: 'x' } }, 'text\n');
  tar.entry({ name: 'shop-1/link', type: 'symlink', linkname: '/etc/passwd' });
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}
