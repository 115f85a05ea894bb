import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/adapters/telemetry/log.ts';
import { createTextView } from '../../../src/core/messages/proposal/diff-markdown.ts';
import { quoteModelText } from '../../../src/core/messages/shared/markdown.ts';
import { findCredentials, redact, redactDiff } from '../../../src/lib/credentials.ts';
import { cpuSeconds } from '../../support/cpu-time.ts';

const letters = (length: number) => 'aB3dE5gH7j'.repeat(20).slice(0, length);

const hex = (length: number) => 'ab12cd34ef'.repeat(20).slice(0, length);

const upper = (length: number) => 'AB12CD34EF'.repeat(20).slice(0, length);

/** Assembled here, so that secret scanners do not report this file. */
const MADE_UP: readonly (readonly [name: string, credential: string])[] = [
  ['a GitHub token', `ghp_${letters(36)}`],
  ['a GitHub token', `ghs_12345_${letters(36)}.${letters(40)}-${letters(40)}`],
  ['a GitHub token', `github_pat_${letters(22)}_${letters(59)}`],
  ['a GitLab token', `glpat-${letters(20)}`],
  ['a GitLab token', `glpat-${letters(27)}.01.${hex(9)}`],
  ['a GitLab token', `glpat-${letters(27)}.01${hex(7)}`],
  ['an AWS access key', `AKIA${upper(16)}`],
  ['an AWS access key', `ASIA${upper(16)}`],
  ['a Google key', `AIza${letters(35)}`],
  ['a Google key', `GOCSPX-${letters(28)}`],
  ['an Azure storage key', `AccountKey=${letters(86)}==`],
  ['a Slack token', `xoxb-${letters(40)}`],
  ['a Slack token', `xapp-1-${letters(40)}`],
  ['a Slack webhook', `https://hooks.slack.com/services/T${upper(8)}/B${upper(8)}/${letters(24)}`],
  ['an OpenAI or Anthropic key', `sk-proj-${letters(48)}`],
  ['an OpenAI or Anthropic key', `sk-ant-api03-${letters(80)}`],
  ['a Hugging Face token', `hf_${letters(34)}`],
  ['a Stripe key', `sk_live_${letters(24)}`],
  ['a Stripe key', `whsec_${letters(32)}`],
  ['an npm token', `npm_${letters(36)}`],
  ['a PyPI token', `pypi-${letters(60)}`],
  ['a RubyGems key', `rubygems_${hex(48)}`],
  ['a Docker token', `dckr_pat_${letters(27)}`],
  ['a SendGrid key', `SG.${letters(22)}.${letters(43)}`],
  ['a Mailgun key', `key-${hex(32)}`],
  ['a Twilio key', `SK${hex(32)}`],
  ['a Shopify token', `shpat_${hex(32)}`],
  ['a DigitalOcean token', `dop_v1_${hex(64)}`],
  ['a Databricks token', `dapi${hex(32)}`],
  ['a Vault token', `hvs.${letters(24)}`],
  ['an Atlassian token', `ATATT3${letters(60)}`],
  ['a Linear key', `lin_api_${letters(40)}`],
  ['a Postman key', `PMAK-${hex(24)}-${hex(34)}`],
  ['a Grafana token', `glsa_${letters(32)}_${hex(8)}`],
  ['a New Relic key', `NRAK-${upper(27)}`],
  ['a Sentry token', `sntrys_${letters(60)}`],
  ['a Figma token', `figd_${letters(40)}`],
  ['an age key', `AGE-SECRET-KEY-1${upper(58)}`],
  ['an AWS secret key', `aws_secret_access_key = ${letters(40)}`],
  ['an AWS secret key', `AWS_SECRET=${letters(40)}`],
  ['an AWS session token', `IQoJb3JpZ2luX2Vj${letters(120)}`],
  ['a Telegram token', `123456789:AA${letters(33)}`],
  ['a JSON web token', `eyJ${letters(30)}.${letters(40)}.${letters(43)}`],
  ['a password in an address', `postgres://ana:${letters(12)}@db.internal/shop`],
  ['a password in an address', `smtp://ana@acme.example:${letters(12)}@smtp.internal`],
  ['a password in an address', `postgres://ana:one@two@${letters(12)}@db.internal/shop`],
  ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${letters(64)}\n${letters(40)}\n-----END RSA PRIVATE KEY-----`],
];

/** The last twelve characters, which remain if only the beginning is removed. */
function tail(credential: string): string {
  const line = credential.split('\n').at(-2) ?? credential;
  return credential.includes('@') ? `${letters(12)}@` : line.slice(-12);
}

describe('credentials (I3)', () => {
  it.each(MADE_UP)('%s is removed from prose and logs, and found in a change: %s', (name, credential) => {
    const prose = `I found ${credential} in the file.`;
    const posted = quoteModelText('Reason', prose, 5_000);
    for (const text of [redact(prose), posted, createRedactor([])(JSON.stringify({ prose }))]) {
      expect(text).not.toContain(tail(credential));
      expect(text).toContain('redacted');
      expect(text).toContain('I found');
      expect(text).toContain('in the file.');
    }
    const lines = credential.split('\n').map((line) => `+const x = ${line};`);
    const diff = `--- a/a.ts\n+++ b/a.ts\n@@ -1,1 +1,${lines.length + 1} @@\n one\n${lines.join('\n')}\n`;
    const [warning = ''] = createTextView(diff).warnings.filter((one) => one.includes('credential'));
    expect(warning).toContain(lines.length > 1 ? name : `${name} in line 2`);
    expect(warning).not.toContain(credential.slice(-12));
  });

  it('leaves words, names, hashes and addresses alone, and finds only added credentials', () => {
    const plain = [
      'the risk-assessment of sk-learn-based-estimators-for-everyone, see task-1234567890',
      `commit ${hex(40)}, digest ${hex(64)}, blob sha256:${hex(64)}`,
      'https://github.com/acme/shop/pull/3#discussion_r1001 and http://127.0.0.1:3000/readyz',
      'ghost_writer, keyboard-layout, npm_config_registry, glossary, hvs, SGML, git@github.com:acme/shop.git',
      '-----BEGIN CERTIFICATE-----',
    ].join('\n');
    expect(redact(plain)).toBe(plain);
    expect(findCredentials(plain)).toEqual([]);
    const [, token = ''] = MADE_UP[0] ?? [];
    const removed = `--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,1 @@\n ${token}\n-${token}\n`;
    expect(createTextView(removed).warnings).toEqual([]);
  });
});

/** A shell variable in braces. */
const braced = (name: string) => `$\{${name}}`;

/** A key of the usual length, as a file has it. */
const KEY_LINES = [letters(64), hex(64), upper(64), letters(20)];

const pem = (kind: string, lines: readonly string[] = KEY_LINES) => [
  `-----BEGIN ${kind}PRIVATE KEY-----`,
  ...lines,
  `-----END ${kind}PRIVATE KEY-----`,
];

describe('secrets in files (X10)', () => {
  it.each(MADE_UP)('%s is replaced, and every line keeps its number (X10): %s', (_, credential) => {
    const text = `one\r\nconst x = '${credential}';\ntwo\n`;
    const redacted = redact(text);
    expect(redacted).not.toContain(tail(credential));
    expect(redacted).toMatch(/^one\r\nconst x = '.*\[redacted\]/);
    expect(redacted).toMatch(/';\ntwo\n$/);
    expect(redacted.split('\n')).toHaveLength(text.split('\n').length);
    expect(redact(redacted)).toBe(redacted);
  });

  it.each<[string, readonly string[]]>([
    ['a PEM file', pem('RSA ')],
    [
      'an encrypted one with headers',
      pem('RSA ', ['Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,00', '', ...KEY_LINES]),
    ],
    ['a literal per line', pem('').map((line) => `  '${line}\\n' +`)],
    ['a comment', pem('EC ').map((line) => `# ${line}`)],
    ['a string with escapes', [`"private_key": "${pem('').join('\\n')}\\n",`]],
    ['a key without an end', pem('OPENSSH ').slice(0, -1)],
  ])('no line of a private key is left: %s (X10)', (_, lines) => {
    const redacted = redact(`before: 1\n${lines.join('\n')}\n`);
    for (const line of KEY_LINES) expect(redacted).not.toContain(line.slice(0, 16));
    expect(redacted).toMatch(/^before: 1\n/);
    expect(redacted.split('\n')).toHaveLength(lines.length + 2);
  });

  it('ordinary code stays as it is (X10)', () => {
    const plain = [
      'const weight_decay_factor = right_margin_in_pixels + height_of_the_3rd_row;',
      "if (!text.includes('-----BEGIN PRIVATE KEY-----')) throw new Error('-----END PRIVATE KEY-----');",
      `url: postgres://${braced('DB_USER')}:${braced('DB_PASSWORD')}@db and https://$USER:$TOKEN@host and redis://{user}:{pass}@r`,
      'uses: pypa/pypi-publish-all-the-packages, http://localhost:3000/@scope/name, sk-fading-circle-and-more',
      'AKIA is a prefix, ghp_ too; eyJ',
      `AWS_SECRET=$AWS_SECRET; awsSecretName = "${'shop/'.repeat(9)}"`,
      `// session token ${'='.repeat(100)}`,
    ].join('\n');
    expect(redact(plain)).toBe(plain);
    expect(findCredentials(plain.split('\n')[0] ?? '')).toEqual([]);
  });

  it('a placeholder hides no password that goes on behind it (X10)', () => {
    expect(redact(`postgres://ana:${braced('A')}@${letters(12)}@db.internal/shop`)).toBe(
      'postgres://[redacted]@db.internal/shop',
    );
  });

  it('are found in linear time in 2 MB of any text (X10)', () => {
    const line = `const weight_${letters(20)} = "${letters(60)}";\n`;
    for (const piece of [line, `-----BEGIN PRIVATE KEY-----\n${letters(64)}\n`, 'secret_key', `+${letters(64)}\n`])
      expect(cpuSeconds(() => void redactDiff(piece.repeat(Math.ceil(2_000_000 / piece.length))))).toBeLessThan(3);
  });
});

describe('secrets in diffs (X10)', () => {
  const rows = KEY_LINES.slice(0, 3).map((line) => `${line.slice(0, 62)}aB`);

  it.each<[string, readonly string[]]>([
    ['a whole key', ['+-----BEGIN PRIVATE KEY-----', ...rows.map((row) => `+${row}`), '+-----END PRIVATE KEY-----']],
    ['a removed key', ['------BEGIN PRIVATE KEY-----', ...rows.map((row) => `-${row}`), '------END PRIVATE KEY-----']],
    ['the inside of a key', rows.map((row, at) => `${' -+'.charAt(at)}${row}`)],
    ['a token', [`+${MADE_UP[0]?.[1]}`]],
  ])('%s is masked, and each row keeps its sign', (_, secret) => {
    const diff = ['@@ -1,9 +1,9 @@ here', ' before', ...secret, ' after', ''].join('\n');
    expect(redactDiff(diff).split('\n')).toEqual([
      '@@ -1,9 +1,9 @@ here',
      ' before',
      ...secret.map((row) => `${row.charAt(0)}[redacted]`),
      ' after',
      '',
    ]);
  });

  it.each([
    ['export function total(prices) {', 'export function total(prices) {'],
    [`const token = '${MADE_UP[0]?.[1]}';`, "const token = '[redacted]';"],
    [rows[0] ?? '', '[redacted]'],
    // Git cuts a heading after 80 bytes, in the middle of what could be a secret.
    [
      `const settings = load('production', 'eu-west-1', { user: 'shop', token: 'gh${letters(12)}`,
      `const settings = load('production', 'eu-west-1', { user: 'shop', token: …`,
    ],
  ])('R41: a hunk keeps its heading, without secrets and half secrets: %s', (heading, shown) => {
    expect(redactDiff(`@@ -1,2 +1,2 @@ ${heading}\n-a\n+b\n`)).toBe(`@@ -1,2 +1,2 @@ ${shown}\n-a\n+b\n`);
  });

  it('digests, and single rows of base64, stay', () => {
    const diff = `@@ -1,3 +1,4 @@\n+${hex(64)}\n+${hex(64)}\n+${hex(64)}\n+${letters(64)}\n+x\n`;
    expect(redactDiff(diff)).toBe(diff);
  });
});
