import { describe, expect, it } from 'vitest';
import { COMMAND_GRAMMAR } from '../../../../src/core/commands/all-commands.ts';
import { createProposalId, findQuotedIds, parseProposalId } from '../../../../src/core/comments/ids.ts';
import { parseComment } from '../../../../src/core/comments/parse-comment.ts';

const ID_LINE = '**Edit** `src/total.ts` (line 3) · `k7q2`';

/** The text that GitHub's *Quote reply* inserts: each line of the rendered comment behind `>`, then a blank line. */
const QUOTE_REPLY = [
  `> ${ID_LINE}`,
  '> ',
  '> ```suggestion',
  '> let total = 0n',
  '> ```',
  '> ',
  '> > The agent: use bigint',
  '> ',
  '> Decide here: `/approve`, `/deny reason`, `/edit instruction`',
  '> /approve',
  '',
].join('\n');

describe('a quote reply names the proposal that it quotes (S59)', () => {
  it('with /approve below a quote that also contains /approve (S59)', () => {
    const { parsed, quotedIds: ids } = parseComment(COMMAND_GRAMMAR, `${QUOTE_REPLY}\n/approve`, 'countersign');
    expect(parsed).toMatchObject({ kind: 'command', command: { name: 'approve', targets: { by: 'location' } } });
    expect(ids).toEqual(['k7q2']);
  });

  it('the quote alone decides nothing (S59)', () => {
    expect(parseComment(COMMAND_GRAMMAR, QUOTE_REPLY, 'countersign').parsed).toMatchObject({ kind: 'text', text: '' });
  });

  it('text below the quote is the instruction (S45, S59)', () => {
    const read = parseComment(COMMAND_GRAMMAR, `${QUOTE_REPLY.replaceAll('\n', '\r\n')}\r\nuse number`, 'countersign');
    expect(read).toMatchObject({ parsed: { kind: 'text', text: 'use number' }, quotedIds: ['k7q2'] });
  });

  it.each<readonly [line: string, ids: readonly string[]]>([
    [`> ${ID_LINE}`, ['k7q2']],
    [`>${ID_LINE}`, ['k7q2']],
    [`   > ${ID_LINE}  `, ['k7q2']],
    [`> ${ID_LINE}\\`, ['k7q2']],
    [`> ${ID_LINE.replaceAll(/[`*]/g, '')}`, ['k7q2']],
    [`> ${ID_LINE.replace('k7q2', 'K7Q2')}`, ['k7q2']],
    [`> ${ID_LINE}\n> ${ID_LINE.replace('k7q2', 'm3x9')}`, ['k7q2', 'm3x9']],
    [`> ${ID_LINE}\n> ${ID_LINE}`, ['k7q2']],
    [`> > ${ID_LINE}`, []],
    [`>> ${ID_LINE}`, []],
    [`> > See\n>\n> ${ID_LINE}`, ['k7q2']],
    [`> > ${ID_LINE.replace('k7q2', 'm3x9')}\n>\n> ${ID_LINE}`, ['k7q2']],
    [`> - > ${ID_LINE}`, []],
    [`> ${ID_LINE} and more`, []],
    [`> see ${ID_LINE}`, []],
    [`> ${ID_LINE.replace('k7q2', 'abcd')}`, []],
    [`> ${ID_LINE.replace('k7q2', 'k7q2k7q')}`, []],
    ['> **Question** · `k7q2`', ['k7q2']],
    ['> **Change together** 3 places in 2 files: `a`, `b` · `k7q2`', ['k7q2']],
    [`> \`k7q2\``, []],
    [ID_LINE, []],
    [`\`\`\`\n> ${ID_LINE}\n\`\`\``, []],
  ])('%j (S59)', (body, ids) => {
    expect(parseComment(COMMAND_GRAMMAR, `${body}\n\n/approve`, 'countersign').quotedIds).toEqual(ids);
  });

  it('the quoted message of an e-mail reply counts too, so that no other proposal is approved (S59, A15)', () => {
    const mail = `/approve\n\nOn Mon, Nov 16, 2026 at 9:00 AM countersign wrote:\n> ${ID_LINE}\n`;
    expect(parseComment(COMMAND_GRAMMAR, mail, 'countersign').quotedIds).toEqual(['k7q2']);
  });

  it('finds nothing without a quote', () => {
    expect(findQuotedIds([])).toEqual([]);
  });
});

describe('R70: ids', () => {
  const ref = { installationId: 1, repositoryId: 2, owner: 'ana', repo: 'shop', number: 3 };
  const idsBy = (idKey: string, from: number, count: number) =>
    Array.from({ length: count }, (_, index) => createProposalId({ ref, idKey, proposalCount: from }, index));

  it('are unique on a pull request, and have the form of ids, also the long ones', () => {
    const ids = [...idsBy('k', 0, 1_000), ...idsBy('k', 67_100, 1_000)];
    expect(new Set(ids).size).toBe(2_000);
    expect(ids.every((id) => parseProposalId(id) === id)).toBe(true);
  });

  it('cannot be computed from those before without the key', () => {
    const [mine, others] = [idsBy('k', 0, 1_000), idsBy('l', 0, 1_000)];
    expect(mine.filter((id, index) => others[index] === id).length).toBeLessThan(3);
    const follower = new Map(others.map((id, index) => [id, others[index + 1]]));
    const alike = mine.filter((id, index) => follower.has(id) && follower.get(id) === mine[index + 1]);
    expect(alike).toEqual([]);
  });
});

describe('the form of an id', () => {
  it.each(['k7q2', 'a1b2c', '00000a', 'K7Q2', 'utf8'])('%s is an id', (word) => {
    expect(parseProposalId(word)).toBe(word.toLowerCase());
  });

  it.each(['', 'k7q', 'k7q2x9z', 'abcd', '1234', 'k7-2', 'k7q2 ', 'k7q2\n', 'ｋ7q2', '\u212A7q2', 'all'])(
    '%j is no id',
    (word) => {
      expect(parseProposalId(word)).toBeNull();
    },
  );
});
