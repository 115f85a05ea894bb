import { describe, expect, it, vi } from 'vitest';
import { parseExplainOptions, runExplain } from '../../../../src/cli/explain/explain.ts';
import { explainDelivery } from '../../../../src/cli/explain/explanation.ts';
import { parseDelivery } from '../../../../src/cli/explain/read-delivery.ts';
import { formatExplanation } from '../../../../src/cli/explain/text.ts';
import { COMMAND_LIST } from '../../../../src/core/commands/all-commands.ts';
import { exampleLine } from '../../core/commands/example-lines.ts';
import { APP, issueComment } from '../../core/webhooks/payloads.ts';

const payload = issueComment('/approve k7q2');

const headers = { 'X-GitHub-Event': 'issue_comment', 'X-GitHub-Delivery': 'd-1' };

describe('a recorded delivery', () => {
  it('is refused if it has no end', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(await runExplain(['/dev/zero', '--event', 'push'])).toBe(2);
    expect(stderr).toHaveBeenCalledWith(expect.stringContaining('exceeds the maximum of 25 MiB'));
    stderr.mockRestore();
  });

  it.each([
    ['ours', { headers, payload }, null],
    ['GitHub’s own', { id: 5, guid: 'd-1', event: 'issue_comment', request: { headers, payload } }, null],
    ['one with a text payload', { headers, payload: JSON.stringify(payload) }, null],
  ])('is parsed: %s', (_, record, event) => {
    const value = { id: 'd-1', event: 'issue_comment', payload };
    expect(parseDelivery(JSON.stringify(record), event)).toEqual({ kind: 'parsed', value });
  });

  it('is parsed: a bare payload with its event', () => {
    const value = { id: null, event: 'issue_comment', payload };
    expect(parseDelivery(JSON.stringify(payload), 'issue_comment')).toEqual({ kind: 'parsed', value });
  });

  it.each([
    ['', null, 'is not a JSON object'],
    ['{"headers": {', null, 'is not a JSON object'],
    ['[]', null, 'is not a JSON object'],
    ['{}', null, 'has no headers and payload; for a bare payload, use --event'],
    ['{"payload": {}}', null, 'X-GitHub-Event is missing'],
    ['{"headers": {"X-GitHub-Event": 5}, "payload": {}}', null, 'X-GitHub-Event is missing'],
  ])('that is invalid is refused in one line: %s', (text, event, words) => {
    const reading = parseDelivery(text, event);
    expect(reading).toMatchObject({ kind: 'refused' });
    expect(reading.kind === 'refused' && reading.problem).toContain(words);
  });
});

describe('options', () => {
  it.each([
    [[], 'The file with the delivery is missing. See countersign explain --help.'],
    [['a', 'b'], 'Only one delivery can be explained at a time.'],
    [['a', '--bot-id', 'x'], '--bot-id needs a number.'],
    [['a', '--color'], "Unknown option '--color'"],
  ])('%j are refused in one line', (argv, words) => {
    const reading = parseExplainOptions(argv);
    expect(reading.kind === 'problem' && reading.problem).toContain(words);
  });
});

describe('an explanation', () => {
  const delivery = { id: 'd-1', event: 'issue_comment', payload: issueComment('/countersign use bigint') };

  it.each(COMMAND_LIST)('names the command $name with all its arguments, and the facts that it needs', (command) => {
    const line = exampleLine(command, 'k7q2');
    const text = formatExplanation(explainDelivery({ ...delivery, payload: issueComment(line) }, APP));
    expect(text).toMatch(new RegExp(`^read as +the command ${command.name}\\b`, 'm'));
    for (const word of line.split(' ').slice(1)) expect(text.split('read as')[1]).toContain(word);
    expect(text.includes(`needs     if ${command.needs?.condition}: `)).toBe(command.needs !== undefined);
  });

  it('keeps every line a line with any text, and escapes terminal codes', () => {
    const payload = issueComment('/countersign \u001b[2Jclear\u0007 \u202e\n\nbelow\r\nand more');
    const text = formatExplanation(explainDelivery({ ...delivery, payload }, APP));
    for (const line of text.trimEnd().split('\n')) expect(line).toMatch(/^[a-z][a-z ]{9}\S/);
    expect(text).not.toMatch(/[^\n\x20-\x7e’→…]/);
  });

  it.each([undefined, null, 5, [], {}, { action: 'created' }])('describes any payload in plain text: %j', (any) => {
    expect(formatExplanation(explainDelivery({ ...delivery, payload: any }, APP))).toMatch(/^read as +nothing \(/m);
  });
});
