import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildEdit } from '../../../../../src/core/edits/build/build-edit.ts';
import { applyUserEdit } from '../../../../../src/core/edits/build/user-edit.ts';
import type { FileChange } from '../../../../../src/core/edits/change.ts';
import { encodeText } from '../../../../../src/core/edits/text/characters.ts';
import { redactDiff, redactFile } from '../../../../../src/lib/redaction.ts';
import { cpuSeconds } from '../../../../support/cpu-time.ts';
import { fileAfter } from '../file-after.ts';
import { shownDiff, stored } from '../samples.ts';

/** Assembled here, so that secret scanners do not report this file. */
const VALUE = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const TOKEN = `sk_live_${'aB3d'.repeat(6)}`;
const KEY_ROW = 'Zx9y'.repeat(16);

/** Parts of secrets that no text for the model may contain. */
const MATERIAL = [VALUE.slice(2, 30), TOKEN.slice(8), KEY_ROW.slice(2, 30), 'hunter2secret'];

const secretRows = fc.constantFrom(
  `aws_secret_access_key:\n  ${VALUE}`,
  `- name: PROD_AWS_SECRET_ACCESS_KEY\n  value: ${VALUE}`,
  `secretAccessKey = "${VALUE}"`,
  `a = '${TOKEN}', b = '${TOKEN}'`,
  `token: ${TOKEN}`,
  `-----BEGIN PRIVATE KEY-----\n${KEY_ROW}\n${KEY_ROW}\n-----END PRIVATE KEY-----`,
  `-----BEGIN PRIVATE KEY-----\n${KEY_ROW}`,
  "db = 'postgres://app:hunter2secret@db.example.com/shop'",
);

const plainRow = fc.constantFrom('', 'a', "region: 'x'", 'sk-', '//', '}');

const file = fc.array(fc.oneof(secretRows, plainRow), { minLength: 1, maxLength: 5 }).map((rows) => rows.join('\n'));

const newText = fc.oneof(
  fc.constantFrom(
    '',
    'x',
    '_',
    '\n',
    'npm_',
    'hf_',
    '//a:',
    '@',
    '-----BEGIN PRIVATE KEY-----',
    '-----END',
    'A'.repeat(9),
  ),
  fc.string({ maxLength: 4 }),
);

/** The secrets that the model gets after a change: it reads the file, and the result has the diff. */
function revealed(text: string, change: FileChange): readonly string[] {
  const after = Buffer.from(fileAfter(encodeText(text), change)).toString();
  const shown = `${redactFile(after)}\n${redactDiff(shownDiff(change))}`;
  return MATERIAL.filter((part) => shown.includes(part));
}

function build(text: string, oldString: string, newString: string, replaceAll = false) {
  return buildEdit({
    path: 'a.yml',
    repositoryName: 'shop',
    file: stored(text),
    edits: [{ oldString, newString, replaceAll }],
  });
}

describe('an edit beside a secret (X10)', () => {
  it('of any text is refused, or the secret stays hidden (X10)', () => {
    fc.assert(
      fc.property(
        file,
        fc.nat(),
        fc.integer({ min: 1, max: 12 }),
        newText,
        fc.boolean(),
        (text, at, length, added, all) => {
          const start = at % text.length;
          const oldString = text.slice(start, start + length);
          for (const newString of [added, `${oldString}${added}`, `${added}${oldString}`]) {
            const built = build(text, oldString, newString, all);
            if (built.kind === 'change') expect(revealed(text, built.change)).toEqual([]);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([
    [
      'lengthens a value on the row below its name',
      `aws_secret_access_key:\n  ${VALUE}\nregion: x\n`,
      '\nregion',
      'abc\nregion',
    ],
    ['lengthens the `value` of an entry', `- name: AWS_SECRET_KEY\n  value: ${VALUE}\n- b\n`, '\n- b', 'abc\n- b'],
    ['uncovers one of two equal ones', `a = '${TOKEN}', b = '${TOKEN}'\n`, ", b = '", ", b = 'x"],
  ])('that %s is refused with the reason (X10)', (_, text, oldString, newString) => {
    const built = build(text, oldString, newString);
    expect(built.kind === 'refused' && built.output).toContain(
      'Not proposed: beside the changed text of a.yml is a place that is shown as [redacted]. A secret stands there, and after this edit it would not be recognized as one.',
    );
  });

  it.each([
    ['the row above it', `region: x\naws_secret_access_key:\n  ${VALUE}\n`, 'region: x', 'region: y'],
    ['the row below it', `aws_secret_access_key:\n  ${VALUE}\nregion: x\n`, 'region: x', 'region: y\nzone: b'],
    ['a part of its row', `a = '${TOKEN}', size = 3\n`, 'size = 3', 'size = 4'],
  ])('that changes only %s is proposed (X10)', (_, text, oldString, newString) => {
    expect(build(text, oldString, newString).kind).toBe('change');
  });

  it('is checked in linear time in a file of many secrets (X10)', () => {
    const text = `x '${TOKEN}'\n`.repeat(50_000);
    expect(cpuSeconds(() => void build(text, "'\nx '", "' \nx '", true))).toBeLessThan(5);
  });
});

describe('a person’s own lines beside a secret (X10)', () => {
  const text = `size: 3 # ${TOKEN}\n`;

  function answer(line: string) {
    const built = build(text, 'size: 3', 'size: 4');
    if (built.kind === 'refused') throw new Error(built.output);
    const { change } = built;
    return applyUserEdit({
      change,
      proposed: change,
      placement: { kind: 'file', path: 'a.yml', reason: 'not-in-diff' },
      baseText: text,
      lines: [line],
    });
  }

  it('are refused if the agent would see the secret then (X10)', () => {
    const refusal = { kind: 'refused', refusal: { reason: 'uncovers-secret' } };
    expect(answer(`size: 5 # x${TOKEN}`)).toEqual(refusal);
    expect(answer(`size: 5 # ${TOKEN} x${TOKEN}`)).toEqual(refusal);
  });

  it('can keep it, change it or take it away (X10)', () => {
    for (const line of [`size: 5 # ${TOKEN}`, `size: 3 # ${TOKEN}abc`, 'size: 3'])
      expect(answer(line).kind).toBe('change');
  });
});
