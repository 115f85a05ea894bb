import { describe, expect, it } from 'vitest';
import { quotedIds } from '../../src/command/quoted-ids.ts';
import { readComment } from '../../src/command/read-comment.ts';

const ID_LINE = 'Change 1 of 3 · `k7q2` · digest `0123456789ab` · head `0a1b2c3`';

/** What GitHub's *Quote reply* puts into the box: each line of the rendered comment, marked, then a blank line. */
const QUOTE_REPLY = [
  '> **Edit** `src/total.ts` (line 3)',
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

describe('S59: a quote reply names the proposal that it quotes', () => {
  it('S59: with /approve below, quoting also the line that shows /approve', () => {
    const { utterance, quotedIds: ids } = readComment(`${QUOTE_REPLY}\n/approve`, 'countersign');
    expect(utterance).toMatchObject({ kind: 'command', command: { name: 'approve', targets: { by: 'place' } } });
    expect(ids).toEqual([{ id: 'k7q2', digest: '0123456789ab' }]);
  });

  it('S59: the quote alone decides nothing', () => {
    expect(readComment(QUOTE_REPLY, 'countersign').utterance).toMatchObject({ kind: 'remark', text: '' });
  });

  it('S45, S59: words below the quote are the instruction', () => {
    const read = readComment(`${QUOTE_REPLY.replaceAll('\n', '\r\n')}\r\nuse number`, 'countersign');
    expect(read).toMatchObject({ utterance: { kind: 'remark', text: 'use number' }, quotedIds: [{ id: 'k7q2' }] });
  });

  it.each<readonly [line: string, ids: readonly string[]]>([
    [`> ${ID_LINE}`, ['k7q2']],
    [`>${ID_LINE}`, ['k7q2']],
    [`   > ${ID_LINE}  `, ['k7q2']],
    [`> ${ID_LINE}\\`, ['k7q2']],
    [`> ${ID_LINE.replaceAll('`', '')}`, ['k7q2']],
    [`> ${ID_LINE.replace('k7q2', 'K7Q2')}`, ['k7q2']],
    [`> ${ID_LINE}\n> ${ID_LINE.replace('k7q2', 'm3x9')}`, ['k7q2', 'm3x9']],
    [`> ${ID_LINE}\n> ${ID_LINE}`, ['k7q2']],
    [`> > ${ID_LINE}`, []],
    [`>> ${ID_LINE}`, []],
    [`> > See\n> ${ID_LINE}`, []],
    [`> > See\n> here\n> ${ID_LINE}`, []],
    [`> > See\n>\n> ${ID_LINE}`, ['k7q2']],
    [`> > ${ID_LINE.replace('k7q2', 'm3x9')}\n>\n> ${ID_LINE}`, ['k7q2']],
    [`> > \`\`\`\n> > x\n>\n> ${ID_LINE}`, ['k7q2']],
    [`> - > ${ID_LINE}`, []],
    [`> ${ID_LINE} and more`, []],
    [`> see ${ID_LINE}`, []],
    [`> ${ID_LINE.replace('k7q2', 'abcd')}`, []],
    [`> ${ID_LINE.replace('k7q2', 'k7q2k7q')}`, []],
    [`> ${ID_LINE.replace('0123456789ab', '0123')}`, []],
    [`> \`k7q2\``, []],
    [ID_LINE, []],
    [`\`\`\`\n> ${ID_LINE}\n\`\`\``, []],
    [`> \`\`\`\n> ${ID_LINE}\n> \`\`\``, []],
    [`> \`\`\`suggestion\n> ${ID_LINE.replace('k7q2', 'm3x9')}\n> \`\`\`\n> ${ID_LINE}`, ['k7q2']],
  ])('S59: %j', (body, ids) => {
    expect(readComment(`${body}\n\n/approve`, 'countersign').quotedIds.map(({ id }) => id)).toEqual(ids);
  });

  it('S59: with the digest that stood beside the id; two digests make two proposals of one id', () => {
    const other = ID_LINE.replace('0123456789ab', 'FEDCBA987654');
    expect(readComment(`> ${ID_LINE}\n> ${other}\n> ${ID_LINE}`, 'countersign').quotedIds).toEqual([
      { id: 'k7q2', digest: '0123456789ab' },
      { id: 'k7q2', digest: 'fedcba987654' },
    ]);
  });

  it('S59, A15: what an e-mail reply quotes is quoted too, so that it cannot hit another proposal', () => {
    const mail = `/approve\n\nOn Mon, Nov 16, 2026 at 9:00 AM countersign wrote:\n> ${ID_LINE}\n`;
    expect(readComment(mail, 'countersign').quotedIds).toMatchObject([{ id: 'k7q2' }]);
  });

  it('reads nothing from no quote', () => {
    expect(quotedIds([])).toEqual([]);
  });
});
