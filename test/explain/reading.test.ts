import { describe, expect, it } from 'vitest';
import { account } from '../../src/explain/account.ts';
import { readOptions } from '../../src/explain/options.ts';
import { readDelivery } from '../../src/explain/read-delivery.ts';
import { readState } from '../../src/explain/read-state.ts';
import { accountText } from '../../src/explain/words.ts';
import { newPull } from '../../src/run/run.ts';
import { issueComment, SELF } from '../command/payloads.ts';
import { pullOf, run } from '../store/samples.ts';

const payload = issueComment('/approve k7q2');
const headers = { 'X-GitHub-Event': 'issue_comment', 'X-GitHub-Delivery': 'd-1' };

describe('a recorded delivery', () => {
  it.each([
    ['ours', { headers, payload }, null],
    ['GitHub’s own', { id: 5, guid: 'd-1', event: 'issue_comment', request: { headers, payload } }, null],
    ['one whose payload is text', { headers, payload: JSON.stringify(payload) }, null],
  ])('is read: %s', (_, record, event) => {
    const value = { id: 'd-1', event: 'issue_comment', payload };
    expect(readDelivery(JSON.stringify(record), event)).toEqual({ kind: 'read', value });
  });

  it('is read: a bare payload, with its event told beside it', () => {
    const value = { id: null, event: 'issue_comment', payload };
    expect(readDelivery(JSON.stringify(payload), 'issue_comment')).toEqual({ kind: 'read', value });
  });

  it.each([
    ['', null, 'does not hold a JSON object'],
    ['{"headers": {', null, 'does not hold a JSON object'],
    ['[]', null, 'does not hold a JSON object'],
    ['{}', null, 'holds neither headers and payload nor, with --event, a bare payload'],
    ['{"payload": {}}', null, 'X-GitHub-Event is missing'],
    ['{"headers": {"X-GitHub-Event": 5}, "payload": {}}', null, 'X-GitHub-Event is missing'],
  ])('that is none is refused in one line: %s', (text, event, words) => {
    const reading = readDelivery(text, event);
    expect(reading).toMatchObject({ kind: 'refused' });
    expect(reading.kind === 'refused' && reading.problem).toContain(words);
  });
});

describe('a recorded state', () => {
  it('is what is stored of a pull request', () => {
    const pull = pullOf(12, { run: run('r1') });
    const permissions = { 11: 'maintain' };
    expect(readState(JSON.stringify({ pull, facts: { served: true }, permissions }))).toEqual({
      kind: 'read',
      value: { pull, facts: { served: true }, permissions },
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
    [JSON.stringify({ pull: { ...pullOf(12), run: { ...run('r1'), schema: 1 } } }), 'pull.run.schema'],
  ])('that is none is refused in one line', (text, words) => {
    const reading = readState(text);
    expect(reading.kind === 'refused' && reading.problem).toContain(words);
    expect(JSON.stringify(reading)).not.toContain('\\n');
  });
});

describe('options', () => {
  it.each([
    [[], 'The file with the delivery is missing. See countersign explain --help.'],
    [['a', 'b'], 'One delivery is explained at a time.'],
    [['a', '--bot-id', 'x'], '--bot-id needs a number.'],
    [['a', '--colour'], "Unknown option '--colour'"],
  ])('%j are refused in one line', (argv, words) => {
    const reading = readOptions(argv);
    expect(reading.kind === 'problem' && reading.problem).toContain(words);
  });
});

describe('an account', () => {
  const pull = newPull({ installationId: 42, repositoryId: 501, owner: 'acme', repo: 'shop', number: 12 });
  const delivery = { id: 'd-1', event: 'issue_comment', payload: issueComment('/countersign use bigint') };

  it('names the next thing that GitHub would be asked for and the state does not hold', () => {
    const told = account(delivery, SELF, { pull, facts: {}, permissions: {} });
    expect(told.outcome).toMatchObject({ kind: 'lacking', needs: [{ kind: 'permission', login: 'ana' }] });
    expect(accountText(told)).toContain('asked of GitHub next: the permission of ana (11)');
  });

  it('asks for nothing more where somebody may not decide', () => {
    const told = account(delivery, SELF, { pull, facts: {}, permissions: { 11: 'read' } });
    expect(told.outcome.kind === 'decided' && told.outcome.step.reason).toBe('not-allowed');
  });

  it('keeps every line a line, whatever the words hold, and lets no terminal obey them', () => {
    const payload = issueComment('/countersign \u001b[2Jclear\u0007 \u202e\n\nbelow\r\nand more');
    const text = accountText(account({ ...delivery, payload }, SELF, null));
    for (const line of text.trimEnd().split('\n')) expect(line).toMatch(/^[a-z][a-z ]{9}\S/);
    expect(text).not.toMatch(/[^\n\x20-\x7e’→…]/);
  });

  it.each([undefined, null, 5, [], {}, { action: 'created' }])('has words for any payload: %j', (any) => {
    expect(accountText(account({ ...delivery, payload: any }, SELF, null))).toMatch(/^read as +nothing \(/m);
  });
});
