import { describe, expect, it } from 'vitest';
import { COMMAND_GRAMMAR } from '../../../../src/core/commands/all-commands.ts';
import { parseComment } from '../../../../src/core/comments/parse-comment.ts';
import type {
  AlwaysRequest,
  Command,
  MissingSlash,
  ParsedComment,
  Targets,
} from '../../../../src/core/state/intent.ts';

/** The parsed comment in one short line, for the tables below. */
function summarize(body: string): string {
  return summarizeParsed(parseComment(COMMAND_GRAMMAR, body, 'countersign').parsed);
}

function summarizeParsed(parsed: ParsedComment): string {
  switch (parsed.kind) {
    case 'command':
      return `${summarizeCommand(parsed.command)}${parsed.addressedToApp && parsed.command.name !== 'task' ? ' addressed' : ''}`;
    case 'malformed-command':
      return [
        'malformed',
        parsed.command ?? 'planned',
        ...(parsed.word === '' ? [] : [parsed.word]),
        ...(parsed.addressedToApp ? ['addressed'] : []),
      ].join(' ');
    case 'unknown-command':
      return `unknown ${parsed.word} ${parsed.nearest}${parsed.addressedToApp ? ' addressed' : ''}`;
    case 'mention':
      return `${summarizeMissingSlash(parsed.missingSlash)}mention: ${parsed.text}`;
    case 'text':
      return summarizeText(parsed);
  }
}

function summarizeCommand(command: Command): string {
  switch (command.name) {
    case 'task':
      return `${summarizeMissingSlash(command.missingSlash)}task: ${command.text}`;
    case 'approve':
      return join('approve', `${summarizeTargets(command)}${summarizeAlways(command.always)}`, command.note);
    case 'continue':
    case 'resume':
      return command.text === '' ? command.name : `${command.name}: ${command.text}`;
    case 'revoke':
      return `revoke ${command.number}`;
    case 'deny':
      return join('deny', summarizeTargets(command), command.reason);
    case 'edit':
      return join('edit', summarizeTargets(command), command.instruction);
    case 'ask':
      return `ask: ${command.text}`;
    case 'show':
    case 'undo':
      return join(command.name, summarizeTargets(command), '');
    default:
      return command.name;
  }
}

function summarizeAlways(always: AlwaysRequest | undefined): string {
  return always === undefined ? '' : ` always ${always.glob ?? 'this path'}`;
}

function summarizeTargets({ targets }: { readonly targets: Targets }): string {
  return targets.by === 'ids' ? targets.ids.join('+') : targets.by;
}

function summarizeText(text: Extract<ParsedComment, { kind: 'text' }>): string {
  const flags = [text.addressedToSomeoneElse ? 'else' : '', text.affirmation ? 'yes' : ''].filter(
    (flag) => flag !== '',
  );
  const blocks = text.suggestions.map((lines) => `{${lines.join('|')}}`);
  if (text.hasUnclosedSuggestion) blocks.push('{…');
  return join('text', [...flags, ...blocks].join(' '), text.text);
}

function join(name: string, middle: string, text: string): string {
  return `${[name, middle].filter((part) => part !== '').join(' ')}${text === '' ? '' : `: ${text}`}`;
}

function summarizeMissingSlash(missingSlash: MissingSlash | undefined): string {
  return missingSlash === undefined ? '' : `${missingSlash.word}(${missingSlash.id})? `;
}

type Row = readonly [body: string, expected: string];

describe('the first line of a comment (S57, F18)', () => {
  it.each<Row>([
    ['/approve', 'approve location'],
    ['/APPROVE', 'approve location'],
    ['/approve   ', 'approve location'],
    ['   /approve', 'approve location'],
    ['\n\n  \n/approve', 'approve location'],
    ['/approve\r\n', 'approve location'],
    ['\r\n/approve K7Q2\r\nthanks\r\n', 'approve k7q2: thanks'],
    ['/approve k7q2 m3x9', 'approve k7q2+m3x9'],
    ['/approve\tk7q2\t m3x9', 'approve k7q2+m3x9'],
    ['/approve k7q2 K7Q2', 'approve k7q2'],
    ['/approve all', 'approve all'],
    ['/approve ALL\n\nship it', 'approve all'],
    ['/approve\n/deny', 'malformed approve /deny'],
    ['/approve k7q2\n\n  /deny m3x9 too risky', 'malformed approve /deny'],
    ['/approve\n```\n/deny\n```\n> /deny\n\nnot `/deny`, /usr/bin\n/usr/bin', 'approve location: ```\n/deny\n```'],
    ['/deny\n/approve', 'deny location: /approve'],
    ['/deny\n\nSent from my iPhone', 'deny location'],
    ['/deny\n-- \nAna', 'deny location: -- \nAna'],
    ['/approve k7q2\nthanks\n-- \nAna', 'approve k7q2: thanks\n-- \nAna'],
    ['/approve but rename it', 'malformed approve but'],
    ['/approve k7q2 but', 'malformed approve but'],
    ['/approve all k7q2', 'malformed approve k7q2'],
    ['/approve all now', 'malformed approve now'],
    ['/approve all always', 'malformed approve all'],
    ['/approve k7q2 all', 'malformed approve all'],
    ['/approve abcd', 'malformed approve abcd'],
    ['/approve 1234', 'malformed approve 1234'],
    ['/approve 1', 'malformed approve 1'],
    ['/approve a1b2c3d', 'malformed approve a1b2c3d'],
    ['/approve `k7q2`,m3x9', 'approve k7q2+m3x9'],
    ['/approve k7q2, m3x9', 'approve k7q2+m3x9'],
    ['/approve always', 'approve location always this path'],
    ['/Approve K7Q2 Always', 'approve k7q2 always this path'],
    ['/approve k7q2 always src/*.ts\nthanks', 'approve k7q2 always src/*.ts: thanks'],
    ['/approve always README.md', 'approve location always README.md'],
    ['/approve always k7q2', 'malformed approve k7q2'],
    ['/approve always all', 'malformed approve all'],
    ['/approve always src', 'malformed approve src'],
    ['/approve always src/** docs/**', 'malformed approve docs/**'],
    ['/approve k7q2 m3x9 always', 'malformed approve m3x9'],
    ['/approve src/** always', 'malformed approve src/**'],
    ['/approve always, please', 'malformed approve please'],
    ['/approve always always', 'malformed approve always'],
    ['/countersign /approve always', 'approve location always this path addressed'],
    ['/approvals', 'approvals'],
    ['/approvals now', 'malformed approvals now'],
    ['/revoke 12', 'revoke 12'],
    ['/revoke #1', 'malformed revoke #1'],
    ['/revoke 1 2', 'malformed revoke 1'],
    ['/revoke', 'malformed revoke'],
    ['/deny', 'deny location'],
    ['/reject', 'deny location'],
    ['/Dismiss', 'deny location'],
    ['/deny too risky', 'deny location: too risky'],
    ['/deny too risky\nsee above', 'deny location: too risky\nsee above'],
    ['/deny k7q2 M3X9 too risky', 'deny k7q2+m3x9: too risky'],
    ['/deny k7q2\nbecause', 'deny k7q2: because'],
    ['/deny k7q2: too risky', 'deny k7q2: too risky'],
    ['/deny `k7q2`, (m3x9) and "p4t5"!', 'deny k7q2+m3x9+p4t5'],
    ['/deny k7q2,m3x9 and p4t5: no', 'deny k7q2+m3x9+p4t5: no'],
    ['/deny k7q2 & others', 'deny k7q2: & others'],
    ['/deny and k7q2', 'deny location: and k7q2'],
    ['/deny k7q2\u200B', 'deny k7q2'],
    ['/deny \u212A7q2: no', 'deny location: \u212A7q2: no'],
    ['/edit k7q2: use bigint', 'edit k7q2: use bigint'],
    ['/edit k7q2\u00A0use bigint', 'edit k7q2: use bigint'],
    ['/edit k7q2’s name', 'edit location: k7q2’s name'],
    ['/edit `k7q2`', 'malformed edit'],
    ['/deny all', 'deny all'],
    ['/deny all\nwrong file', 'deny all: wrong file'],
    ['/deny all of this is wrong', 'deny all: of this is wrong'],
    ['/deny all wrong file\nsee above', 'deny all: wrong file\nsee above'],
    ['/deny all k7q2', 'deny all: k7q2'],
    ['/deny all: they break callers', 'deny all: they break callers'],
    ['/deny all, they break callers', 'deny all: they break callers'],
    ['/deny all!', 'deny all'],
    ['/deny all-caps names', 'deny location: all-caps names'],
    ['/edit all: use one name', 'edit all: use one name'],
    ['/deny alles falsch', 'deny location: alles falsch'],
    ['/edit use bigint', 'edit location: use bigint'],
    ['/edit\nuse bigint', 'edit location: use bigint'],
    ['/edit all use bigint', 'edit all: use bigint'],
    ['/edit k7q2 use bigint', 'edit k7q2: use bigint'],
    ['/edit k7q2  k7q2x use', 'edit k7q2+k7q2x: use'],
    ['/edit', 'malformed edit'],
    ['/edit all', 'malformed edit'],
    ['/edit k7q2', 'malformed edit'],
    ['/continue', 'continue'],
    ['/continue without it', 'malformed continue without'],
    ['/continue\nwithout it', 'continue: without it'],
    ['/continue k7q2', 'malformed continue k7q2'],
    ['/stop', 'stop'],
    ['/stop\nenough', 'stop'],
    ['/stop now', 'malformed stop now'],
    ['/status', 'status'],
    ['/help', 'help'],
    ['/config', 'config'],
    ['/help me', 'malformed help me'],
    ['/countersign use bigint', 'task: use bigint'],
    ['/Countersign use bigint\n\n- everywhere\n', 'task: use bigint\n\n- everywhere'],
    ['/countersign', 'malformed task addressed'],
    ['/countersign\nuse bigint', 'malformed task addressed'],
    ['/countersign /approve k7q2', 'approve k7q2 addressed'],
    ['/countersign /Deny k7q2 no', 'deny k7q2: no addressed'],
    ['/countersign /approve but', 'malformed approve but addressed'],
    ['/countersign /countersign x', 'malformed task countersign addressed'],
    ['/countersign approve K7Q2', 'approve(k7q2)? task: approve K7Q2'],
    ['/countersign edit utf8 strings\ntoo', 'edit(utf8)? task: edit utf8 strings\ntoo'],
    ['@countersign deny k7q2', 'deny(k7q2)? mention: deny k7q2'],
    ['/countersign \u2215approve k7q2', 'malformed approve approve addressed'],
    ['@countersign \uFF0Fapprove k7q2', 'malformed approve approve addressed'],
    ['/countersign show 3 lines', 'malformed task show addressed'],
    ['/countersign approve', 'malformed task approve addressed'],
    ['/countersign Approve all', 'malformed task Approve addressed'],
    ['/countersign approve always', 'malformed task approve addressed'],
    ['/countersign revoke 2', 'malformed task revoke addressed'],
    ['/countersign stop.', 'malformed task stop addressed'],
    ['/countersign approve all!', 'malformed task approve addressed'],
    ['/countersign approve `K7Q2`.', 'approve(k7q2)? task: approve `K7Q2`.'],
    ['/countersign edit the README', 'task: edit the README'],
    ['/countersign show a spinner', 'task: show a spinner'],
    ['/countersign approved words need a list', 'task: approved words need a list'],
    ['/countersign /retest', 'unknown retest null addressed'],
    ['/countersign <!-- hidden --> do it', 'malformed task <!-- addressed'],
    ['/approve <!-- k7q2 -->', 'malformed approve <!--'],
    ['/approve<!-- -->', 'malformed approve <!--'],
    ['@countersign use bigint', 'mention: use bigint'],
    ['@Countersign[bot], use bigint\nplease', 'mention: use bigint\nplease'],
    ['@countersign\nuse bigint', 'mention: use bigint'],
    ['@countersign\u00A0use bigint', 'mention: use bigint'],
    ['@countersign[bot]\u3000use bigint', 'mention: use bigint'],
    ['@countersign\u2003/approve k7q2', 'malformed task approve addressed'],
    ['@countersign\u00A0\u00A0/approve k7q2', 'malformed approve approve addressed'],
    ['@countersign\u200Buse bigint', 'text: @countersign\u200Buse bigint'],
    ['@countersign', 'malformed task addressed'],
    ['@countersign /approve k7q2', 'malformed task approve addressed'],
    ['@countersign approve', 'malformed task approve addressed'],
    ['@countersign <!-- x -->', 'malformed task <!-- addressed'],
    ['@countersign-dev use bigint', 'text else: @countersign-dev use bigint'],
    ['/retest', 'unknown retest null'],
    ['/lgtm', 'unknown lgtm null'],
    ['/aprove', 'unknown aprove approve'],
    ['/apporve k7q2', 'unknown apporve approve'],
    ['/approvee', 'unknown approvee approve'],
    ['/approve.', 'unknown approve. approve'],
    ['/countersign: do it', 'unknown countersign: task addressed'],
    ['/Countersign, do it', 'unknown Countersign, task addressed'],
    ['/countersign:do it', 'unknown countersign:do task addressed'],
    ['/countersign!', 'unknown countersign! task addressed'],
    ['/countersign.yml is wrong', 'unknown countersign.yml null'],
    ['/denny', 'unknown denny deny'],
    ['/ approve', 'unknown  null'],
    ['//approve', 'unknown /approve approve'],
    ['/src/main.ts is wrong', 'text: /src/main.ts is wrong'],
    ['/ask why?\nreally', 'ask: why?\nreally'],
    ['/ask\nwhy?', 'ask: why?'],
    ['/countersign ask why?', 'ask: why? addressed'],
    ['/countersign Ask: why\nreally?', 'ask: why\nreally? addressed'],
    ['/countersign ask\nwhy?', 'ask: why? addressed'],
    ['@countersign ask why?', 'ask: why? addressed'],
    ['/countersign ask', 'malformed task ask addressed'],
    ['/countersign asking why', 'task: asking why'],
    ['/countersign Ask me whether it can go', 'task: Ask me whether it can go'],
    ['/ask', 'malformed ask'],
    ['/show', 'show location'],
    ['/show K7Q2', 'show k7q2'],
    ['/show 3', 'malformed show 3'],
    ['/show k7q2 m3x9', 'malformed show m3x9'],
    ['/resume', 'resume'],
    ['/resume now', 'malformed resume now'],
    ['/resume\nwith the tests', 'resume: with the tests'],
    ['/undo k7q2', 'undo k7q2'],
    ['/countersign /undo k7q2', 'undo k7q2 addressed'],
  ])('%j', (body, expected) => {
    expect(summarize(body)).toBe(expected);
  });
});

describe('text that only looks like a command (S57, S58, A15, F18)', () => {
  it.each<Row>([
    ['', 'text'],
    ['please /approve', 'text: please /approve'],
    ['hello\n/approve', 'text: hello\n/approve'],
    ['    /approve', 'text: /approve'],
    ['\t/approve', 'text: /approve'],
    ['  \t/approve', 'text: /approve'],
    ['`/approve`', 'text: `/approve`'],
    ['**/approve**', 'text: **/approve**'],
    ['[/approve](https://example.org)', 'text: [/approve](https://example.org)'],
    ['- /approve', 'text: - /approve'],
    ['1. /approve', 'text: 1. /approve'],
    ['# /approve', 'text: # /approve'],
    ['\\/approve', 'text: \\/approve'],
    ['```\n/approve\n```', 'text: ```\n/approve\n```'],
    ['```\n/approve', 'text: ```\n/approve'],
    ['~~~\n\n/approve\n~~~', 'text: ~~~\n\n/approve\n~~~'],
    ['````\n```\n/approve\n````', 'text: ````\n```\n/approve\n````'],
    ['> /approve', 'text'],
    ['> > /approve', 'text'],
    ['   > /approve\n\n', 'text'],
    ['> /approve\n\nwhy?', 'text: why?'],
    ['<!-- note -->\n/approve', 'text: /approve'],
    ['<!-- note -->\n\n/approve', 'text: /approve'],
    ['<!--\n/approve\n-->', 'text'],
    ['<!-- x --> /approve', 'text'],
    ['> x\n\n<!-- y -->\n/approve', 'text: /approve'],
    ['<details>\n/approve\n</details>', 'text: <details>\n/approve\n</details>'],
    ['<pre>\n\n/approve', 'text: <pre>\n\n/approve'],
    ['[a]:\n/approve', 'text: [a]:\n/approve'],
    ['On Mon, Nov 16, 2026 at 9:00 AM Ana <ana@example.org> wrote:\n> /approve', 'text'],
    ['On ... wrote:\n\n> /approve', 'text'],
    ['\u200B/approve', 'malformed approve approve'],
    ['\uFEFF/deny', 'malformed deny deny'],
    ['/app\u200Brove', 'malformed approve approve'],
    ['/approve\u0000', 'malformed approve approve'],
    ['/appr\u0000ove k7q2', 'malformed approve approve'],
    ['\uFF0Fapprove', 'malformed approve approve'],
    ['\u2215stop', 'malformed stop stop'],
    ['/\u0430pprove', 'unknown \u0430pprove approve'],
    ['/approve\u00A0k7q2', 'malformed approve approve'],
    ['/deny\u00A0k7q2 too long', 'malformed deny deny'],
    ['/approve\u3000all', 'malformed approve approve'],
    ['/approve\u2007k7q2', 'malformed approve approve'],
    ['/approve\u2800', 'malformed approve approve'],
    ['/app\u200Brove\u00A0k7q2', 'malformed approve approve'],
    ['/approve\u200Bk7q2', 'malformed approve approve'],
    ['\u00A0/ap\u00A0prove', 'malformed approve approve'],
    ['\u3000\uFF0Fapprove\u3000all', 'malformed approve approve'],
    ['/config\u00A0k7q2', 'malformed config config'],
    ['/revoke\u00A0k7q2', 'malformed revoke revoke'],
    ['/countersign\u00A0do it', 'malformed task countersign addressed'],
    ['/countersign\u00A0/approve', 'malformed task countersign addressed'],
    ['/countersign /approve\u00A0k7q2', 'malformed approve approve addressed'],
    ['/retest\u00A0k7q2', 'unknown retest\u00A0k7q2 null'],
    ['/approve\uFEFF', 'malformed approve approve'],
    ['/approve k7q2\u00A0', 'malformed approve k7q2\u00A0'],
    ['/approve k7q2\u200B', 'malformed approve k7q2\u200B'],
    ['/approve \u212A7q2', 'malformed approve \u212A7q2'],
    ['/approve\u2028k7q2', 'malformed approve approve'],
  ])('%j', (body, expected) => {
    expect(summarize(body).replace(/^text yes/, 'text')).toBe(expected);
  });
});

describe('a line right below a quote belongs to it if Markdown renders it so (S57)', () => {
  it.each<Row>([
    ['> the change\n/approve', 'malformed approve >'],
    ['> the change\nmore\n/approve', 'malformed approve >'],
    ['> - item\n/deny it', 'malformed deny >'],
    ['> a\nb\n>     c\n/approve', 'malformed approve >'],
    ['> the change\n@countersign do it', 'malformed task > addressed'],
    ['> the change\n\n/approve', 'approve location'],
    ['> the change\n>\n/approve', 'approve location'],
    ['> ```\n> code\n> ```\n/approve', 'approve location'],
    ['> # Title\n/approve', 'approve location'],
    ['> quoted\nlazy\n\n/approve k7q2', 'approve k7q2'],
    ['> quoted\n/approve\n\n/deny k7q2', 'deny k7q2'],
    ['> quoted\n/approve\n\nplease do', 'malformed approve >'],
    ['> quoted\n- item\n\n/approve', 'text: - item\n\n/approve'],
    ['> quoted\n# Title\n\n/approve', 'text: # Title\n\n/approve'],
    ['> quoted\n***\n/approve', 'text: ***\n/approve'],
    ['> quoted\nuse bigint', 'text'],
  ])('%j', (body, expected) => {
    expect(summarize(body).replace(/^text yes/, 'text')).toBe(expected);
  });

  it('a line right below a quote that is too long to be parsed belongs to it (S57)', () => {
    const long = '> word\n'.repeat(60);
    expect(summarize(`${long}/approve`)).toBe('malformed approve >');
    expect(summarize(`${long}\n/approve`)).toBe('approve location');
    expect(summarize(`${long}>\n/approve`)).toBe('approve location');
  });
});

describe('plain text (S45, S46, S48, S56, S62)', () => {
  it.each<Row>([
    ['use bigint', 'text: use bigint'],
    ['> let total = 0\n\nuse bigint', 'text: use bigint'],
    ['use bigint\n\n> because\n\nplease', 'text: use bigint\n\n\nplease'],
    ['> only a quote', 'text yes'],
    ['<!-- hidden -->\nuse bigint', 'text: use bigint'],
    ['@ana what do you think?', 'text else: @ana what do you think?'],
    ['> x\n\n@acme/reviewers look', 'text else: @acme/reviewers look'],
    ['ask @ana', 'text: ask @ana'],
    ['yes', 'text yes: yes'],
    ['OK!', 'text yes: OK!'],
    ['lgtm', 'text yes: lgtm'],
    ['LGTM, thanks \u{1F44D}\u{1F3FD}', 'text yes: LGTM, thanks \u{1F44D}\u{1F3FD}'],
    ['Approved.', 'text yes: Approved.'],
    ['approve', 'text yes: approve'],
    [':+1:', 'text yes: :+1:'],
    ['+1', 'text yes: +1'],
    ['Looks good to me', 'text yes: Looks good to me'],
    ['1', 'text yes: 1'],
    ['42', 'text yes: 42'],
    ['> x\n\nyes', 'text yes: yes'],
    ['thanks', 'text yes: thanks'],
    ['Yes\n\nSent from my iPhone', 'text yes: Yes\n\nSent from my iPhone'],
    ['ok\n\n-- \nBob Smith', 'text yes: ok\n\n-- \nBob Smith'],
    ['ok\r\n--\r\nBob Smith', 'text yes: ok\n--\nBob Smith'],
    [`yes\n-- \n${'Bob '.repeat(40)}Smith`, `text yes: yes\n-- \n${'Bob '.repeat(40)}Smith`],
    ['LGTM!\n\nGet Outlook for iOS', 'text yes: LGTM!\n\nGet Outlook for iOS'],
    ['OK\n\nVon meinem iPhone gesendet', 'text yes: OK\n\nVon meinem iPhone gesendet'],
    ['**LGTM**', 'text yes: **LGTM**'],
    ['`ok`', 'text yes: `ok`'],
    ['lgtm :rocket:', 'text yes: lgtm :rocket:'],
    ['\u2705', 'text yes: \u2705'],
    [':white_check_mark:', 'text yes: :white_check_mark:'],
    ['\u{1F44D}\u{1F3FD}', 'text yes: \u{1F44D}\u{1F3FD}'],
    ['\u2764\uFE0F \u{1F389}', 'text yes: \u2764\uFE0F \u{1F389}'],
    ['use bigint\n\n-- \nBob Smith', 'text: use bigint\n\n-- \nBob Smith'],
    ['rename it to :rocket:', 'text: rename it to :rocket:'],
    ['no \u{1F44D}', 'text: no \u{1F44D}'],
    ['yes, but use bigint', 'text: yes, but use bigint'],
    ['1 is wrong', 'text: 1 is wrong'],
    ['reject', 'text: reject'],
    ['no', 'text: no'],
    ['```suggestion\nlet total = 0n\n```', 'text {let total = 0n}'],
    ['```suggestion\r\na\r\n\r\nb\r\n```\r\nnote', 'text {a||b}: note'],
    ['````suggestion\n```\n````', 'text {```}'],
    ['~~~ Suggestion \na\n~~~', 'text {a}'],
    ['  ```suggestion\n  a\n    b\n  ```', 'text {a|  b}'],
    ['```suggestion\n```', 'text {}'],
    ['```suggestion\na\n```\n```suggestion\nb\n```', 'text {a} {b}'],
    ['lgtm\n```suggestion\na\n```', 'text {a}: lgtm'],
    ['```ts\nlet a\n```', 'text: ```ts\nlet a\n```'],
    ['```suggestion\nnever closed', 'text {…'],
    ['Like this:\n~~~~ Suggestion\na\n~~~\nplease', 'text {…: Like this:'],
    ['lgtm\n```suggestion', 'text {…: lgtm'],
    ['```suggestion\na\n```\nor\n```suggestion\nb', 'text {a} {…: or'],
    ['```ts\nnever closed', 'text: ```ts\nnever closed'],
    ['````\n```suggestion\na', 'text: ````\n```suggestion\na'],
    ['> ```suggestion\n> a\n> ```\n\nno', 'text: no'],
    ['<!--\n```suggestion\na\n```\n-->', 'text yes'],
    ['```\nlet a = 1;\n```', 'text: ```\nlet a = 1;\n```'],
    ['sí, gracias', 'text yes: sí, gracias'],
    ['LGTM /approve', 'text yes: LGTM /approve'],
    ['drop `/approve` from the docs', 'text: drop `/approve` from the docs'],
    ['````\n```suggestion\na\n```\n````', 'text: ````\n```suggestion\na\n```\n````'],
  ])('%j', (body, expected) => {
    expect(summarize(body)).toBe(expected);
  });
});

describe('a suggestion block stands alone only with nothing but white space around it (S48, S65)', () => {
  const block = '```suggestion\na\n```';

  function isAlone(body: string): boolean {
    const { parsed } = parseComment(COMMAND_GRAMMAR, body, 'countersign');
    return parsed.kind === 'text' && parsed.suggestions.length === 1 && parsed.isSuggestionAlone;
  }

  it.each([block, `${block}\n`, `\r\n \t\r\n${block}\r\n\r\n`])('%j stands alone', (body) => {
    expect(isAlone(body)).toBe(true);
  });

  it.each([
    `no\n${block}`,
    `${block}\nno`,
    `> no\n\n${block}`,
    `${block}\n\n> no`,
    `${block}\n<!-- no -->`,
    `${block}\n<p>no</p>`,
    `${block}\n\n    no`,
    `${block}\n\n\`\`\`\nno\n\`\`\``,
    `${block}\n\n-- \nno`,
    `${block}\n\nSent from my iPhone`,
    `${block}\n\nOn Mon, Nov 23, 2026 ana wrote:\n\nno`,
    `${block}\n\u00A0`,
    `- no\n\n${block}`,
    `${block}\n${block}`,
    '```suggestion\na',
  ])('%j does not', (body) => {
    expect(isAlone(body)).toBe(false);
  });
});

describe('an approval above a suggestion block decides nothing (S42, S48, S65)', () => {
  const block = '```suggestion\na\n```';
  it.each<Row>([
    [`/approve\n${block}`, 'malformed approve suggestion'],
    [`/approve\n\nBetter so:\n\n${block}`, 'malformed approve suggestion'],
    [`/approve k7q2\n${block}`, 'malformed approve suggestion'],
    [`/approve all\n${block}`, 'malformed approve suggestion'],
    [`/countersign /approve\n${block}`, 'malformed approve suggestion addressed'],
    ['/approve\n```suggestion\nnever closed', 'malformed approve suggestion'],
    ['/approve\n```ts\na\n```', 'approve location: ```ts\na\n```'],
    ['/approve\n> ```suggestion\n> a\n> ```', 'approve location'],
    [`/deny\n${block}`, `deny location: ${block}`],
    [`/edit so:\n${block}`, `edit location: so:\n${block}`],
  ])('%j', (body, expected) => {
    expect(summarize(body)).toBe(expected);
  });

  it('unless the block is in an unquoted copy of our comment in an e-mail reply', () => {
    const copy = 'Change 1 of 2 · `k7q2` · digest `0123456789ab` · head `9f8e7d6`\n\n```suggestion\na\n```';
    expect(summarize(`/approve\n\nAna skrev:\n\n${copy}`)).toMatch(/^approve location/);
  });
});

describe('a quote at the end, with the line that introduces it, is not its author’s (S58)', () => {
  it.each<Row>([
    ['/approve\nnote\n\nOn Monday Ana wrote:\n\n> old\n> older\n', 'approve location: note'],
    ['/edit do it\n\nso:\n\nthis\n\nAna skrev:\n> old', 'edit location: do it\n\nso:\n\nthis'],
    ['/edit do it\n> old', 'edit location: do it'],
    ['/edit do it\n> old\n\nplease', 'edit location: do it\n> old\n\nplease'],
    ['use bigint\n\nOn Monday Ana wrote:\n> old\n\n', 'text: use bigint'],
    ['/approve\nthanks\n\nChange 1 of 1', 'approve location: thanks'],
    ['/deny no\nnever\n\n-- \nAna', 'deny location: no\nnever'],
  ])('%j', (body, expected) => {
    expect(summarize(body)).toBe(expected);
  });
});

describe('the fields of a command, and hints', () => {
  it('deny and edit keep their full text, which might begin with a word in the form of an id (S62)', () => {
    expect(parseComment(COMMAND_GRAMMAR, '/deny UTF8 breaks\nhere', 'countersign').parsed).toEqual({
      kind: 'command',
      addressedToApp: false,
      command: {
        name: 'deny',
        targets: { by: 'ids', ids: ['utf8'] },
        reason: 'breaks\nhere',
        fullText: 'UTF8 breaks\nhere',
      },
    });
    expect(parseComment(COMMAND_GRAMMAR, '/edit utf8 first', 'countersign').parsed).toEqual({
      kind: 'command',
      addressedToApp: false,
      command: { name: 'edit', targets: { by: 'ids', ids: ['utf8'] }, instruction: 'first', fullText: 'utf8 first' },
    });
  });

  it('each malformed command has a hint in full sentences (S62)', () => {
    const bodies = [
      '/approve but',
      '/edit',
      '/stop now',
      '/countersign',
      '/countersign approve',
      '/ask',
      '/show x',
      '/revoke',
      '> q\n/stop',
    ];
    for (const body of bodies) {
      const { parsed } = parseComment(COMMAND_GRAMMAR, body, 'countersign');
      expect(parsed.kind).toBe('malformed-command');
      if (parsed.kind === 'malformed-command') expect(parsed.hint).toMatch(/^[A-Z`].{20,}\.$/s);
    }
  });

  it('other words beside ids get the hint for other words (S62)', () => {
    const { parsed } = parseComment(COMMAND_GRAMMAR, '/approve k7q2, but rename it', 'countersign');
    expect(parsed).toMatchObject({ hint: expect.stringContaining('Only ids of changes') });
  });

  it('a hint never quotes the comment', () => {
    const { parsed } = parseComment(COMMAND_GRAMMAR, '/approve @everyone', 'countersign');
    expect(parsed).toMatchObject({ kind: 'malformed-command', word: '@everyone' });
    if (parsed.kind === 'malformed-command') expect(parsed.hint).not.toContain('everyone');
  });
});
