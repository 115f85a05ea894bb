import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/adapters/telemetry/log.ts';
import { createDiffView } from '../../../src/core/messages/proposal/diff-markdown.ts';
import { quoteModelText } from '../../../src/core/messages/shared/markdown.ts';
import { findCredentials, findSecretRanges, redactCredentials } from '../../../src/lib/credentials.ts';
import { redactDiff, redactFile } from '../../../src/lib/redaction.ts';
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
  ['an AWS access key', `AKIA${upper(16)}", "${letters(40)}`],
  ['an AWS access key', `ASIA${upper(16)},${letters(40)}`],
  ['an AWS session token', `aws_session_token=${letters(120)}==`],
  ['an AWS session token', `X-Amz-Security-Token=${letters(60)}%2F${letters(60)}`],
  ['an AWS session token', `IQoJb3JpZ2luX2Vj${letters(120)}`],
  ['a Telegram token', `123456789:AA${letters(33)}`],
  ['a JSON web token', `eyJ${letters(30)}.${letters(40)}.${letters(43)}`],
  ['a password in an address', `postgres://ana:${letters(12)}@db.internal/shop`],
  ['a password in an address', `smtp://ana@acme.example:${letters(12)}@smtp.internal`],
  ['a password in an address', `postgres://ana:one@two@${letters(12)}@db.internal/shop`],
  [
    'a private key',
    `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: "x"\n${letters(70)}\n${letters(40)}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----`,
  ],
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
    for (const text of [redactCredentials(prose), posted, createRedactor([])(JSON.stringify({ prose }))]) {
      expect(text).not.toContain(tail(credential));
      expect(text).toContain('redacted');
      expect(text).toContain('I found');
      expect(text).toContain('in the file.');
    }
    const lines = credential.split('\n').map((line) => `+const x = ${line};`);
    const diff = `--- a/a.ts\n+++ b/a.ts\n@@ -1,1 +1,${lines.length + 1} @@\n one\n${lines.join('\n')}\n`;
    const [warning = ''] = createDiffView(diff).warnings.filter((one) => one.includes('credential'));
    expect(warning).toContain(`${name} in line 2`);
    expect(warning).not.toContain(credential.slice(-12));
  });

  it('a credential whose value is on the line below its name is found in a change too (I3)', () => {
    const rows = ['+aws_secret_access_key:', `+  ${letters(40)}`, '+region: eu-west-1'];
    const [warning = ''] = createDiffView(`--- a/a.yml\n+++ b/a.yml\n@@ -0,0 +1,3 @@\n${rows.join('\n')}\n`).warnings;
    expect(warning).toContain('add a credential: an AWS secret key. Anyone who can read');
  });

  it('leaves words, names, hashes and addresses alone, and finds only added credentials', () => {
    const plain = [
      'the risk-assessment of sk-learn-based-estimators-for-everyone, see task-1234567890',
      `commit ${hex(40)}, digest ${hex(64)}, blob sha256:${hex(64)}`,
      'https://github.com/acme/shop/pull/3#discussion_r1001 and http://127.0.0.1:3000/readyz',
      'ghost_writer, keyboard-layout, npm_config_registry, glossary, hvs, SGML, git@github.com:acme/shop.git',
      '-----BEGIN CERTIFICATE-----',
    ].join('\n');
    expect(redactCredentials(plain)).toBe(plain);
    expect(findCredentials(plain)).toEqual([]);
    const [, token = ''] = MADE_UP[0] ?? [];
    const removed = `--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,1 @@\n ${token}\n-${token}\n`;
    expect(createDiffView(removed).warnings).toEqual([]);
  });

  it('are found in linear time in any text (H12)', () => {
    for (const piece of [
      'sk-',
      '-sk-',
      'eyJ',
      '-eyJ',
      'ghp_',
      '-----BEGIN ',
      '//',
      '//a:',
      'SG.aaaaaaaaaaaaaaaa',
      '12345678:AA',
      'glsa_',
    ])
      expect(cpuSeconds(() => void redactCredentials(piece.repeat(Math.ceil(65_536 / piece.length))))).toBeLessThan(1);
  });

  it('characters are not scanned again for each of many possible starts before them (H12)', () => {
    for (const piece of ['-eyJ', '-sk-'])
      expect(cpuSeconds(() => void redactCredentials(piece.repeat(4_000_000)))).toBeLessThan(2.5);
    const [one, other] = [`sk-${letters(20)}`, `eyJ${letters(30)}.${letters(40)}.${letters(43)}`];
    expect(redactCredentials(`sk-x-${one} and eyJx-${other}`)).toBe('sk-x-[redacted] and eyJx-[redacted]');
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
    const redacted = redactFile(text);
    expect(redacted).not.toContain(tail(credential));
    expect(redacted).toMatch(/^one\r\nconst x = '.*\[redacted\]/);
    expect(redacted).toMatch(/';\ntwo\n$/);
    expect(redacted.split('\n')).toHaveLength(text.split('\n').length);
    expect(redactFile(redacted)).toBe(redacted);
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
    [
      'a PGP block',
      pem('PGP ', ['Version: 1', '', ...KEY_LINES]).map((line) => line.replace(/KEY-----/, 'KEY BLOCK-----')),
    ],
    ['a key without an end', pem('OPENSSH ').slice(0, -1)],
  ])('no line of a private key is left: %s (X10)', (_, lines) => {
    const redacted = redactFile(`before: 1\n${lines.join('\n')}\n`);
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
      `AWS_SECRET=$AWS_SECRET; awsSecretName = "${'shop/'.repeat(9)}"; aws_session_token = readSessionToken(${hex(90)})`,
      `// session token ${'='.repeat(100)}`,
    ].join('\n');
    expect(redactFile(plain)).toBe(plain);
    expect(findCredentials(plain.split('\n')[0] ?? '')).toEqual([]);
  });

  it('a JSON web token is replaced to its end, with a certificate in its header and many claims (X10)', () => {
    const token = `eyJ${letters(200).repeat(8)}.${letters(200).repeat(30)}.${letters(43)}`;
    for (const redact of [redactFile, redactCredentials]) expect(redact(`T=${token};`)).toBe('T=[redacted];');
  });

  it('a placeholder hides no password that goes on behind it (X10)', () => {
    expect(redactFile(`postgres://ana:${braced('A')}@${letters(12)}@db.internal/shop`)).toBe(
      'postgres://[redacted]@db.internal/shop',
    );
  });

  it('a secret behind the marker of a private key without a key is found (X10)', () => {
    const token = `sk_live_${letters(12)}`;
    expect(redactFile(`-----BEGIN PRIVATE KEY-----,\n${token}, -----END PRIVATE KEY-----`)).toBe(
      '-----BEGIN PRIVATE KEY-----,\n[redacted], -----END PRIVATE KEY-----',
    );
  });

  it('a secret behind a private key without an end is found as a whole (X10)', () => {
    const key = pem('').slice(0, -1).join('\n');
    for (const secret of [
      `secretAccessKey = "${letters(40)}"`,
      `ghp_${letters(36)}`,
      `eyJ${letters(30)}.${letters(40)}.x${letters(9)}`,
    ])
      for (const text of [`${key}\n${secret}\n`, `${key} ${secret}\n`])
        expect(redactFile(text)).not.toMatch(/[A-Za-z0-9]{9}[^\]]/);
  });

  it.each<[string, readonly string[]]>([
    ['all of it', pem('')],
    ['its beginning', pem('').slice(0, 3)],
    ['its end', pem('').slice(3)],
  ])('a diff that shows a private key keeps its rows and signs: %s (X10)', (_, lines) => {
    for (const sign of ['-', '+', ' ']) {
      const rows = lines.map((line) => `${sign}${line}`);
      const diff = ['--- a/k', '+++ b/k', '@@ -1,9 +1,9 @@', ...rows, '@@ -30,2 +30,2 @@', ' kept', '-old', ''].join(
        '\n',
      );
      const redacted = redactDiff(diff).split('\n');
      expect(redacted).toEqual(diff.split('\n').map((row) => (rows.includes(row) ? `${sign}[redacted]` : row)));
    }
    const cut = `@@ -9,2 +9,1 @@\n kept\n-${pem('').slice(0, 3).join('\n-')}`;
    expect(redactDiff(cut)).toBe('@@ -9,2 +9,1 @@\n kept\n-[redacted]\n-[redacted]\n-[redacted]');
    expect(redactDiff(`@@ -1,1 +1,1 @@\n-a = 'ghp_${letters(36)}'\r\n+a = 1\r\n`)).toBe(
      "@@ -1,1 +1,1 @@\n-a = '[redacted]'\r\n+a = 1\r\n",
    );
  });

  it.each<[string, readonly string[]]>([
    ['its short last row', ['Qw7e==']],
    ['that row as a literal', ["  'Qw7e==\\n' +"]],
    ['that row as an assignment', ['key += "Qw7e==\\n";']],
    ['the last row and the checksum of PGP', ['Qw7e==', '=aB3d']],
    ['nothing', []],
  ])('a hunk that begins inside a private key shows none of it: above the end is %s (X10)', (_, lines) => {
    for (const kind of ['', 'RSA ', 'OPENSSH '])
      for (const sign of ['-', '+', ' ']) {
        const rows = [...lines, `-----END ${kind}PRIVATE KEY-----`].map((line) => `${sign}${line}`);
        const kept = sign === '-' ? ['+one', '+two', '+three'] : ['-one', '-two', '-three'];
        const diff = ['--- a/k', '+++ b/k', '@@ -9,9 +9,9 @@', ...rows, ' region: x', ...kept, ''];
        const redacted = ['--- a/k', '+++ b/k', '@@ -9,9 +9,9 @@', ...rows.map(() => `${sign}[redacted]`)];
        expect(redactDiff(diff.join('\n'))).toBe([...redacted, ' region: x', ...kept, ''].join('\n'));
      }
    const inLine = '@@ -9,2 +9,2 @@\n   "Qw7e==\\n-----END PRIVATE KEY-----\\n"\n-old\n+new\n';
    expect(redactDiff(inLine)).toBe('@@ -9,2 +9,2 @@\n [redacted]\n-old\n+new\n');
    const changed = '@@ -9,2 +9,2 @@\n-Qw7e==\n+Rx8f==\n -----END PRIVATE KEY-----\n';
    expect(redactDiff(changed)).toBe('@@ -9,2 +9,2 @@\n-[redacted]\n+[redacted]\n [redacted]\n');
  });

  it('a diff of code that names the end of a private key stays (X10)', () => {
    const rows = [' one', ' two', ' three', "+const END = '-----END PRIVATE KEY-----';", '+four', '-five'];
    const both = [" const [START, END] = ['-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----'];", '-a', '+b'];
    for (const shown of [rows, both]) {
      const diff = ['--- a/k', '+++ b/k', '@@ -9,4 +9,5 @@', ...shown, ''].join('\n');
      expect(redactDiff(diff)).toBe(diff);
    }
  });

  it('a match of one kind hides none of another that begins inside it (X10)', () => {
    const token = `eyJ${letters(37)}.${letters(30)}.${letters(22)}`;
    const value = `${letters(31)}secretkey`;
    for (const [text, secret] of [
      [`secret_key = "${token}"`, token],
      [`secret_key: "foo", "${token}"`, token],
      [`//user:${token}@host`, token],
      [`secret_key = ${value} = ${letters(40)}`, letters(40)],
    ] as const)
      expect(redactFile(text)).not.toContain(secret.slice(-20));
    expect(value).toHaveLength(40);
  });

  it('are found in linear time in 2 MB of any text (X10)', () => {
    for (const piece of [
      ...['-----BEGIN PRIVATE KEY-----', '-----BEGIN PRIVATE KEY-----A\n', '-----END PRIVATE KEY-----\n', '------'],
      ...[
        'gha_',
        'pypi-a',
        '//a:{',
        '//:<',
        'aws_secret_access_key=',
        'aws_secret=',
        '-eyJ',
        '@@ \n-----BEGIN PRIVATE KEY\n',
        'A\n',
      ],
      ...['@@ \n A\n -----END PRIVATE KEY-----\n', '@@ \n-A\n+A\n', ' A\n-----END PRIVATE KEY'],
      ...[` ghp_${letters(20)}`, 'aws_session_token=', 'sessiontoken/', `AKIA${upper(16)}`, `AKIA${upper(16)} `],
      ...[' +FwoGZXIvYXdz', `+${letters(64)}\n`, `sessiontoken/${letters(70)} `],
    ]) {
      const text = piece.repeat(Math.ceil(2_000_000 / piece.length));
      expect(cpuSeconds(() => void findSecretRanges(text))).toBeLessThan(2.5);
      expect(cpuSeconds(() => void redactDiff(text))).toBeLessThan(5);
    }
  });
});
