import { afterAll, describe, expect, it } from 'vitest';
import { ANA, digest, type History, newHistory, trailers } from './history.ts';

const histories: History[] = [];

afterAll(() => {
  for (const history of histories) history.remove();
});

const changed = digest('edit', 'a.txt', { after: [], before: [], new: ['two\n'], old: ['one\n'] });

const GROUP = trailers('k7q2', changed, '1,1 1,1');

async function resultsOf(message: string, author?: typeof ANA) {
  const history = newHistory();
  histories.push(history);
  history.commit({ files: { 'a.txt': 'one\n' }, message: 'Begin\n', author: ANA });
  history.commit({ files: { 'a.txt': 'two\n' }, message, ...(author === undefined ? {} : { author }) });
  return (await history.verify()).map(({ result }) => result);
}

/** Git or a page shows each of these as trailers. */
describe('a commit in the App’s name with trailers in a form that the App never writes', () => {
  it.each([
    ['a space before the colon', GROUP.replaceAll(': ', ' : ')],
    ['no space, but a tab', GROUP.replaceAll(': ', ':\t')],
    ['values on the next line', GROUP.replaceAll(': ', ':\n ')],
    ['spaces before the names', GROUP.replaceAll(/^/gm, ' ')],
    ['a byte order mark before each name', GROUP.replaceAll(/^/gm, '\uFEFF')],
    ['a hidden character in each name', GROUP.replaceAll('-', '\u200B-')],
    ['an id that goes on in the next line', GROUP.replace('k7q2', 'k7q2\n m3x8')],
    ['a digest that goes on in the next line', GROUP.replace('\nCountersign-Range', '\n 00\nCountersign-Range')],
    ['a person who goes on in the next line', `${GROUP} and ben\n`],
    ['a person with a space', GROUP.replace('ana', 'ana and ben')],
    ['a person with a hidden character', GROUP.replace('ana', 'a\u200Bna')],
  ])('fails: %s', async (_form, group) => {
    expect(await resultsOf(`Edit\n\n${group}`)).toContain('mismatch');
  });

  it.each([
    ['a NUL before them', `Edit\0\n\n${GROUP}`],
    ['a CR at the end of each line', `Edit\r\n\r\n${GROUP.replaceAll('\n', '\r\n')}`],
    ['a CR alone between them', `Edit\r\r${GROUP.replaceAll('\n', '\r')}`],
    ['text below them', `Edit\n\n${GROUP}\nMore text\n\nCo-authored-by: Ana <ana@example.com>\n`],
    ['co-authors between them', `Edit\n\n${GROUP.replace('Approved-by', 'Co-authored-by: Ben <b@x>\nApproved-by')}`],
  ])('is checked all the same: %s', async (_form, message) => {
    expect(await resultsOf(message)).toEqual(['ok']);
    const other = message.replace(
      changed,
      changed.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
    );
    expect(await resultsOf(other)).toContain('mismatch');
  });

  it('fails in one row, if there are more groups than the App ever writes', async () => {
    expect(await resultsOf(`Edit\n\n${GROUP.repeat(1_000)}`)).toEqual(['mismatch']);
  });

  it('is not checked if it is longer than any message, with or without trailers', async () => {
    expect(await resultsOf(`Edit\n\n${'x'.repeat(1_000_000)}\n${GROUP}`)).toEqual(['unchecked']);
  });
});

describe('a person’s commit', () => {
  it('passes although it mentions trailers or has an approver', async () => {
    expect(await resultsOf('Edit\n\nApproved-by: Ben and others\n', ANA)).toEqual([]);
    expect(await resultsOf('Explain x Countersign-Proposal: ids\n', ANA)).toEqual([]);
    expect(await resultsOf(`Quote\n\n${GROUP.replaceAll(/^/gm, '    ')}`, ANA)).not.toContain('mismatch');
  });
});
