import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactCredentials } from '../../../src/lib/credentials.ts';
import { redactDiff, redactFile } from '../../../src/lib/redaction.ts';
import { cpuSeconds } from '../../support/cpu-time.ts';

/** Assembled here, so that secret scanners do not report this file. */
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';

/** Each form of a name with its value, in two lines or more. The last line has the value. */
const FORMS: readonly (readonly string[])[] = [
  ['aws_secret_access_key:', `  ${SECRET}`],
  ['    AWS_SECRET_ACCESS_KEY: >-', `        ${SECRET}`],
  ['aws_secret_access_key: |', `\t${SECRET}`],
  ['awsSecretAccessKey =', `            "${SECRET}";`],
  ['"aws_secret_access_key":', `"${SECRET}",`],
  ['export AWS_SECRET_ACCESS_KEY=\\', `${SECRET}`],
  ['- name: AWS_SECRET_ACCESS_KEY', `  value: ${SECRET}`],
  ['{ "name": "AWS_SECRET_ACCESS_KEY",', `  "value": "${SECRET}" }`],
];

const plainLine = fc.constantFrom('', 'region: eu-west-1', '  - one', '}', 'aws_access_key_id: x');

const sign = fc.constantFrom(' ', '-', '+');

const HEADER = ['--- a/app.yml', '+++ b/app.yml', '@@ -1,9 +1,9 @@'];

describe('a secret on the line after its name (X10)', () => {
  it.each(FORMS)('is replaced in a file and in the log: %s %s (X10)', (...lines) => {
    for (const end of ['\n', '\r\n']) {
      const redacted = redactFile(['one', ...lines, 'two', ''].join(end));
      expect(redacted).not.toContain(SECRET.slice(0, 12));
      expect(redacted.split(end)).toHaveLength(5);
    }
  });

  it.each([
    ...['PROD_AWS_SECRET_ACCESS_KEY', 'AWS_SECRET_ACCESS_KEY_2', 'secretAccessKey', 'AwsSecretAccessKey'],
    ...['aws.secret.access.key', 'aws-secret-access-key', 'AWS__SECRET__ACCESS__KEY', 'AWS Secret Access Key'],
    ...['SecretAccessKey', 'aws_secret_key', 'aws.secretKey', 'AWS_SECRET', 'awsSecret', 'AWS_SECRET_ACCESS'],
    ...['AWS_SECRET_2'],
  ])('is replaced below and behind the name %s (X10)', (name) => {
    for (const text of [
      `${name}=${SECRET}`,
      `"${name}": "${SECRET}"`,
      `  ${name}:\n    ${SECRET}`,
      `<${name}>${SECRET}</`,
    ])
      expect(redactFile(`one\n${text}\ntwo\n`)).not.toContain(SECRET.slice(0, 12));
    expect(redactCredentials(JSON.stringify({ text: `${name}:\n  ${SECRET}` }))).not.toContain(SECRET.slice(0, 12));
  });

  it.each([
    `const secretAccessKey: string = '${SECRET}';`,
    `client.withSecretAccessKey("${SECRET}")`,
    `os.Setenv("AWS_SECRET_ACCESS_KEY", "${SECRET}")`,
    `ENV AWS_SECRET_ACCESS_KEY ${SECRET}`,
    `:secret_access_key => "${SECRET}"`,
    `- ParameterKey: SecretAccessKey\n  ParameterValue: ${SECRET}`,
    `variable "aws_secret_access_key" {\n  default = "${SECRET}"`,
    `# aws_secret_access_key:\n#   ${SECRET}`,
    `new BasicAWSCredentials("AKIA${'AB12'.repeat(4)}", "${SECRET}")`,
    `new BasicAWSCredentials(\n  "AKIA${'AB12'.repeat(4)}",\n  "${SECRET}")`,
    `{"AccessKeyId": "ASIA${'AB12'.repeat(4)}",\n "value": "${SECRET}"}`,
  ])('is replaced between other signs: %s (X10)', (text) => {
    expect(redactFile(text)).not.toContain(SECRET.slice(0, 12));
  });

  it('names without a value of that length stay (X10)', () => {
    const plain = [
      'secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY, SECRET_KEY_BASE=1, secret_key_file: keys/a.txt',
      `aws_secret_access_key = ${SECRET}x`,
      'secretAccessKeyOfTheServiceThatStoresAllFilesOfTheShopAndNothingElse()',
    ].join('\n');
    expect(redactFile(plain)).toBe(plain);
  });

  it('is replaced in every diff that shows both lines, and each row keeps its sign (X10)', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FORMS),
        fc.array(fc.tuple(sign, plainLine), { maxLength: 5 }),
        fc.array(fc.tuple(sign, plainLine), { maxLength: 3 }),
        fc.array(plainLine, { maxLength: 2 }),
        fc.constantFrom(...['  ', '--', '++', ' -', ' +', '- ', '+ ']),
        fc.constantFrom('', '\r'),
        (form, before, after, between, [ofName = '', ofValue = ''], end) => {
          const [name = '', value = ''] = form;
          // If one of the two lines was changed, rows of the other version are between them.
          const other = ofName === '-' || ofValue === '-' ? '+' : '-';
          const rows = [
            ...before.map(([mark, text]) => `${mark}${text}`),
            `${ofName}${name}`,
            ...between.map((text) => `${other}${text}`),
            `${ofValue}${value}`,
            ...after.map(([mark, text]) => `${mark}${text}`),
          ];
          const diff = [...HEADER, ...rows.map((row) => `${row}${end}`), ''].join('\n');
          const redacted = redactDiff(diff).split('\n');
          expect(redacted.join('\n')).not.toContain(SECRET.slice(0, 12));
          expect(redacted.map((row) => row.slice(0, 1))).toEqual(diff.split('\n').map((row) => row.slice(0, 1)));
          expect(redacted.map((row) => row.endsWith('\r'))).toEqual(diff.split('\n').map((row) => row.endsWith('\r')));
        },
      ),
    );
  });

  it.each(FORMS)('is replaced in a hunk that begins below the name: %s %s (X10)', (_, value) => {
    for (const mark of [' ', '-', '+']) {
      const diff = [...HEADER, `${mark}${value}`, ' a: 1', '-b: 2', ''].join('\n');
      expect(redactDiff(diff)).toBe(diff.replace(SECRET, '[redacted]'));
    }
  });

  it.each<[string, readonly string[]]>([
    ['a blank row', ['', `  ${SECRET}`]],
    ['blank rows', ['', '   ', `"${SECRET}"`]],
    ['the row of `value`', ['  value:', `    ${SECRET}`]],
    ['a blank row and the row of `value`', ['', '  "value":', `    "${SECRET}"`]],
    ['the row of `value` with a block', ['  value: >-', `    ${SECRET}`]],
    ['the row of another word', ['  default =', `    "${SECRET}"`]],
    ['a row of signs', ['    >-', `    ${SECRET}`]],
  ])('is replaced in a hunk that begins with %s above it (X10)', (_, lines) => {
    for (const end of ['', '\r'])
      for (const mark of [' ', '-', '+']) {
        // The row above the value can be of this version alone, or of both.
        for (const above of new Set([mark, ' '])) {
          const other = mark === '+' ? '-' : '+';
          const rows = [...lines.slice(0, -1).map((line) => `${above}${line}`), `${other}a: 1`];
          const shown = mark === ' ' ? rows.slice(0, -1) : rows;
          const diff = [...HEADER, ...shown, `${mark}${lines.at(-1)}`, ' b: 2', ''].join(`${end}\n`);
          expect(redactDiff(diff)).toBe(diff.replace(SECRET, '[redacted]'));
        }
      }
  });

  it('hashes and words at the beginning of a hunk stay (X10)', () => {
    for (const text of [
      'ab12cd34ef'.repeat(4),
      'aVeryLongNameOfAMethodThatHas40Letters',
      'x'.repeat(40),
      `${SECRET}s`,
    ]) {
      const diff = [...HEADER, ` ${text}`, '-a', ''].join('\n');
      expect(redactDiff(diff)).toBe(diff);
    }
  });

  it('a diff without secrets stays as it is (X10)', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(sign, fc.oneof(plainLine, fc.string()))), (rows) => {
        const diff = [...HEADER, ...rows.map(([mark, text]) => `${mark}${text}`)].join('\n');
        expect(redactDiff(diff)).toBe(diff);
      }),
    );
  });

  it('takes linear time in 2 MB of any rows (X10)', () => {
    for (const piece of [
      ...['+aws_secret_access_key:\n-', '+aws_secret_access_key\n', ` aws_secret_access_key${' '.repeat(50)}\n`],
      ...['+aws_secret_access_key:\n-x\n', `-${SECRET}\n+${SECRET}\n`, `+aws_secret_access_key:\n+${SECRET}\n`],
      ...['@@ \n\n', '@@ -', '@@ \n value:\n\n', `@@ \n value: ${SECRET.slice(1)}\n`, `+secretKey${'/'.repeat(90)}`],
      ...[
        `+secret_key${'_'.repeat(90)}`,
        `+secretKey${'\\n'.repeat(50)}${'a'.repeat(30)}`,
        '+aws_aws-aws.secret_secret',
      ],
      ...['@@ \n', `@@ \n ${SECRET}\n`, `+name: aws_secret_access_key\\n\\n\\n,value,value\n`, '+\n-\n', '\r\n'],
    ]) {
      const text = piece.repeat(Math.ceil(2_000_000 / piece.length));
      expect(cpuSeconds(() => void redactDiff(text))).toBeLessThan(5);
    }
  });
});
