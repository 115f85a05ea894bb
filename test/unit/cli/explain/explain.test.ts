import { describe, expect, it } from 'vitest';
import { parseExplainOptions } from '../../../../src/cli/explain/explain.ts';
import { explainDelivery } from '../../../../src/cli/explain/explanation.ts';
import { parseDelivery } from '../../../../src/cli/explain/read-delivery.ts';
import { formatExplanation } from '../../../../src/cli/explain/text.ts';
import { createPullState } from '../../../../src/core/state/run.ts';
import { pullOf, run } from '../../../contracts/store/samples.ts';
import { formatDecision, readState } from '../../../support/recorded-decision.ts';
import { APP, issueComment } from '../../core/webhooks/payloads.ts';

const payload = issueComment('/approve k7q2');

const headers = { 'X-GitHub-Event': 'issue_comment', 'X-GitHub-Delivery': 'd-1' };

describe('a recorded delivery', () => {
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

describe('a recorded state', () => {
  it('has the stored data of a pull request', () => {
    const pull = pullOf(12, { run: run('r1') });
    const permissions = { 11: 'maintain' };
    expect(readState(JSON.stringify({ pull, facts: { ownerAllowed: true }, permissions }))).toEqual({
      kind: 'parsed',
      value: { pull, facts: { ownerAllowed: true }, permissions },
    });
  });

  it.each([
    ['', 'does not hold JSON'],
    ['{}', 'is not a recorded state: pull'],
    ['{"pull": {"ref": {}}}', 'is not a recorded state: pull.ref'],
    [JSON.stringify({ pull: { ...pullOf(12), run: { ...run('r1'), phase: null } } }), 'pull.run.phase'],
    [JSON.stringify({ pull: pullOf(12), facts: { permission: 'write' } }), 'facts.permission belongs to nobody here'],
    [JSON.stringify({ pull: pullOf(12), permissions: { ana: 'write' } }), 'permissions.ana'],
    [JSON.stringify({ pull: pullOf(12), permissions: { 11: 'triage' } }), 'permissions.11'],
    [JSON.stringify({ pull: { ...pullOf(12), run: { ...run('r1'), schema: 99 } } }), 'pull.run.schema'],
  ])('that is invalid is refused in one line', (text, words) => {
    const reading = readState(text);
    expect(reading.kind === 'refused' && reading.problem).toContain(words);
    expect(JSON.stringify(reading)).not.toContain('\\n');
  });
});

describe('options', () => {
  it.each([
    [[], 'The file with the delivery is missing. See countersign explain --help.'],
    [['a', 'b'], 'Only one delivery can be explained at a time.'],
    [['a', '--bot-id', 'x'], '--bot-id needs a number.'],
    [['a', '--colour'], "Unknown option '--colour'"],
  ])('%j are refused in one line', (argv, words) => {
    const reading = parseExplainOptions(argv);
    expect(reading.kind === 'problem' && reading.problem).toContain(words);
  });
});

describe('an explanation', () => {
  const pull = createPullState({ installationId: 42, repositoryId: 501, owner: 'acme', repo: 'shop', number: 12 });
  const delivery = { id: 'd-1', event: 'issue_comment', payload: issueComment('/countersign use bigint') };

  it('names the next fact that GitHub would be asked for where the recording lacks it', () => {
    expect(formatDecision(delivery, APP, { pull, facts: {}, permissions: {} })).toMatch(
      /^lacks .*the permission of ana \(11\)$/m,
    );
  });

  it('asks for no further facts where the person may not decide', () => {
    const decision = formatDecision(delivery, APP, { pull, facts: {}, permissions: { 11: 'read' } });
    expect(decision).toMatch(/^reason +not-allowed$/m);
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
