import { describe, expect, it } from 'vitest';
import { COMMAND_GRAMMAR } from '../../../../src/core/commands/all-commands.ts';
import { parseComment } from '../../../../src/core/comments/parse-comment.ts';
import type { AlwaysRequest, Command, ParsedComment, Targets } from '../../../../src/core/state/intent.ts';

/** The parsed comment in one short line, for the tables below. */
function summarize(body: string): string {
  return summarizeParsed(parseComment(COMMAND_GRAMMAR, body, 'countersign').parsed);
}

function summarizeParsed(parsed: ParsedComment): string {
  const addressed = parsed.addressedToApp ? ' addressed' : '';
  switch (parsed.kind) {
    case 'command':
      return `${summarizeCommand(parsed.command)}${parsed.command.name === 'task' ? '' : addressed}`;
    case 'malformed-command':
      return `malformed ${parsed.command}${addressed}`;
    case 'text':
      return `${parsed.addressedToApp ? '@' : ''}${summarizeText(parsed)}`;
  }
}

function summarizeCommand(command: Command): string {
  switch (command.name) {
    case 'task':
      return `task: ${command.text}`;
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
  return targets.by === 'ids' ? targets.ids.join('+') : targets.by === 'paths' ? `on ${targets.glob}` : targets.by;
}

function summarizeText(text: Extract<ParsedComment, { kind: 'text' }>): string {
  const flags = [text.addressedToSomeoneElse ? 'else' : '', text.affirmation ? 'yes' : ''].filter(
    (flag) => flag !== '',
  );
  const { suggestion } = text;
  const block = suggestion === null ? [] : [suggestion === 'unclear' ? '{?}' : `{${suggestion.join('|')}}`];
  return join('text', [...flags, ...block].join(' '), text.text);
}

function join(name: string, middle: string, text: string): string {
  return `${[name, middle].filter((part) => part !== '').join(' ')}${text === '' ? '' : `: ${text}`}`;
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
    ['/approve k7q2 m3x9', 'approve k7q2+m3x9'],
    ['/approve k7q2 K7Q2', 'approve k7q2'],
    ['/approve all', 'approve all'],
    ['/approve\n/deny', 'malformed approve'],
    ['/approve k7q2\n\n  /deny m3x9 too risky', 'malformed approve'],
    ['/approve\n```\n/deny\n```\n> /deny\n\nnot `/deny`, /usr/bin\n/usr/bin', 'approve location: ```\n/deny\n```'],
    ['/deny\n/approve', 'deny location: /approve'],
    ['/deny\n\nSent from my iPhone', 'deny location'],
    ['/approve but rename it', 'malformed approve'],
    ['/approve all k7q2', 'malformed approve'],
    ['/approve k7q2 all', 'malformed approve'],
    ['/approve abcd', 'malformed approve'],
    ['/approve 1', 'malformed approve'],
    ['/approve src/*.ts\nthanks', 'approve on src/*.ts: thanks'],
    ['/approve `**`', 'approve on **'],
    ['/approve README.md docs/a.md', 'malformed approve'],
    ['/approve k7q2.', 'malformed approve'],
    ['/approve `k7q2`,m3x9', 'approve k7q2+m3x9'],
    ['/approve k7q2, m3x9', 'approve k7q2+m3x9'],
    ['/approve always', 'approve location always this path'],
    ['/approve k7q2 always src/*.ts\nthanks', 'approve k7q2 always src/*.ts: thanks'],
    ['/approve always README.md', 'approve location always README.md'],
    ['/approve always k7q2', 'malformed approve'],
    ['/approve always src', 'malformed approve'],
    ['/approve always src/** docs/**', 'malformed approve'],
    ['/approve k7q2 m3x9 always', 'malformed approve'],
    ['/countersign /approve always', 'approve location always this path addressed'],
    ['/approvals', 'approvals'],
    ['/revoke 12', 'revoke 12'],
    ['/revoke #1', 'malformed revoke'],
    ['/revoke', 'malformed revoke'],
    ['/deny', 'deny location'],
    ['/reject', 'deny location'],
    ['/Dismiss', 'deny location'],
    ['/deny too risky', 'deny location: too risky'],
    ['/deny k7q2 M3X9 too risky', 'deny k7q2+m3x9: too risky'],
    ['/deny k7q2: too risky', 'deny k7q2: too risky'],
    ['/deny `k7q2`, (m3x9) and "p4t5"!', 'deny k7q2+m3x9: and "p4t5"!'],
    ['/deny k7q2\u200B', 'deny k7q2'],
    ['/deny \u212A7q2: no', 'deny location: \u212A7q2: no'],
    ['/edit k7q2: use bigint', 'edit k7q2: use bigint'],
    ['/edit k7q2\u00A0use bigint', 'edit k7q2: use bigint'],
    ['/edit k7q2’s name', 'edit location: k7q2’s name'],
    ['/edit `k7q2`', 'malformed edit'],
    ['/deny src/*.ts: too risky', 'deny on src/*.ts: too risky'],
    ['/deny `docs/**`, too risky\nand long', 'deny on docs/**: too risky\nand long'],
    ['/deny **k7q2** no', 'deny k7q2: no'],
    ['/deny no. I mean it.', 'deny location: no. I mean it.'],
    ['/deny all', 'deny all'],
    ['/deny all of this is wrong', 'deny all: of this is wrong'],
    ['/deny all: they break callers', 'deny all: they break callers'],
    ['/deny all-caps names', 'deny location: all-caps names'],
    ['/edit use bigint', 'edit location: use bigint'],
    ['/edit\nuse bigint', 'edit location: use bigint'],
    ['/edit all use bigint', 'edit all: use bigint'],
    ['/edit k7q2 use bigint', 'edit k7q2: use bigint'],
    ['/edit', 'malformed edit'],
    ['/edit k7q2', 'malformed edit'],
    ['/continue', 'continue'],
    ['/continue without it', 'malformed continue'],
    ['/continue\nwithout it', 'continue: without it'],
    ['/stop', 'stop'],
    ['/stop now', 'malformed stop'],
    ['/status', 'status'],
    ['/help', 'help'],
    ['/config', 'config'],
    ['/countersign use bigint', 'task: use bigint'],
    ['/Countersign use bigint\n\n- everywhere\n', 'task: use bigint\n\n- everywhere'],
    ['/countersign', 'malformed task addressed'],
    ['/countersign\nuse bigint', 'task: use bigint'],
    ['/countersign /approve k7q2', 'approve k7q2 addressed'],
    ['/countersign /approve but', 'malformed approve addressed'],
    ['/countersign approve K7Q2', 'task: approve K7Q2'],
    ['/countersign edit utf8 strings\ntoo', 'task: edit utf8 strings\ntoo'],
    ['@countersign deny k7q2', '@text: deny k7q2'],
    ['/countersign approve', 'task: approve'],
    ['/countersign edit the README', 'task: edit the README'],
    ['/countersign /retest', 'malformed null addressed'],
    ['/approve <!-- k7q2 -->', 'malformed approve'],
    ['@countersign use bigint', '@text: use bigint'],
    ['@Countersign[bot], use bigint\nplease', '@text: use bigint\nplease'],
    ['@countersign\nuse bigint', '@text: use bigint'],
    ['@countersign\u00A0use bigint', '@text: use bigint'],
    ['@countersign\u200Buse bigint', 'text: @countersign\u200Buse bigint'],
    ['@countersign', '@text yes'],
    ['@countersign /approve k7q2', 'approve k7q2 addressed'],
    ['@countersign approve', '@text yes: approve'],
    ['@countersign-dev use bigint', 'text else: @countersign-dev use bigint'],
    ['/retest', 'malformed null'],
    ['/aprove', 'malformed approve'],
    ['/approvee', 'malformed approve'],
    ['/approve.', 'malformed approve'],
    ['/countersign: do it', 'malformed task addressed'],
    ['/countersign.yml is wrong', 'malformed null'],
    ['/ approve', 'malformed null'],
    ['//approve', 'malformed approve'],
    ['/src/main.ts is wrong', 'text: /src/main.ts is wrong'],
    ['/ask why?\nreally', 'ask: why?\nreally'],
    ['/ask\nwhy?', 'ask: why?'],
    ['/countersign ask why?', 'task: ask why?'],
    ['@countersign ask why?', '@text: ask why?'],
    ['/countersign ask', 'task: ask'],
    ['/ask', 'malformed ask'],
    ['/show', 'show location'],
    ['/show K7Q2', 'show k7q2'],
    ['/show 3', 'malformed show'],
    ['/show k7q2 m3x9', 'malformed show'],
    ['/resume', 'resume'],
    ['/resume\nwith the tests', 'resume: with the tests'],
    ['/undo k7q2', 'undo k7q2'],
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
    ['> /approve', 'text'],
    ['> > /approve', 'text'],
    ['> /approve\n\nwhy?', 'text: why?'],
    ['<!-- note -->\n/approve', 'text: <!-- note -->\n/approve'],
    ['<!--\n/approve\n-->', 'text: <!--\n/approve\n-->'],
    ['<!-- x --> /approve', 'text: <!-- x --> /approve'],
    ['<details>\n/approve\n</details>', 'text: <details>\n/approve\n</details>'],
    ['[a]:\n/approve', 'text: [a]:\n/approve'],
    ['On Mon, Nov 16, 2026 at 9:00 AM Ana <ana@example.org> wrote:\n> /approve', 'text'],
    ['On ... wrote:\n\n> /approve', 'text'],
    ['\u200B/approve', 'text: \u200B/approve'],
    ['/app\u200Brove', 'malformed approve'],
    ['\uFF0Fapprove', 'text: \uFF0Fapprove'],
    ['/\u0430pprove', 'malformed approve'],
    ['/approve\u00A0k7q2', 'approve k7q2'],
    ['/approve\u3000all', 'approve all'],
    ['/approve\uFEFF', 'approve location'],
    ['/approve k7q2\u200B', 'malformed approve'],
    ['/approve \u212A7q2', 'malformed approve'],
  ])('%j', (body, expected) => {
    expect(summarize(body).replace(/^text yes/, 'text')).toBe(expected);
  });
});

describe('a line right below a quote belongs to it if Markdown renders it so (S57)', () => {
  it.each<Row>([
    ['> the change\n/approve', 'text'],
    ['> the change\nmore\n/approve', 'text'],
    ['> - item\n/deny it', 'text'],
    ['> the change\n@countersign do it', 'text'],
    ['> the change\n\n/approve', 'approve location'],
    ['> the change\n>\n/approve', 'approve location'],
    ['> ```\n> code\n> ```\n/approve', 'approve location'],
    ['> # Title\n/approve', 'approve location'],
    ['> quoted\nlazy\n\n/approve k7q2', 'approve k7q2'],
    ['> quoted\n/approve\n\n/deny k7q2', 'deny k7q2'],
    ['> quoted\n/approve\n\nplease do', 'text: please do'],
    ['> quoted\n- item\n\n/approve', 'text: - item\n\n/approve'],
    ['> quoted\n# Title\n\n/approve', 'text: # Title\n\n/approve'],
    ['> quoted\n***\n/approve', 'text: ***\n/approve'],
    ['> quoted\nuse bigint', 'text'],
  ])('%j', (body, expected) => {
    expect(summarize(body).replace(/^text yes/, 'text')).toBe(expected);
  });
});

describe('plain text (S45, S46, S48, S56, S62)', () => {
  it.each<Row>([
    ['use bigint', 'text: use bigint'],
    ['> let total = 0\n\nuse bigint', 'text: use bigint'],
    ['use bigint\n\n> because\n\nplease', 'text: use bigint\n\n\nplease'],
    ['> only a quote', 'text yes'],
    ['<!-- hidden -->\nuse bigint', 'text: <!-- hidden -->\nuse bigint'],
    ['@ana what do you think?', 'text else: @ana what do you think?'],
    ['> x\n\n@acme/reviewers look', 'text else: @acme/reviewers look'],
    ['ask @ana', 'text: ask @ana'],
    ['yes', 'text yes: yes'],
    ['lgtm', 'text yes: lgtm'],
    ['LGTM, thanks \u{1F44D}\u{1F3FD}', 'text yes: LGTM, thanks \u{1F44D}\u{1F3FD}'],
    ['approve', 'text yes: approve'],
    [':+1:', 'text yes: :+1:'],
    ['+1', 'text yes: +1'],
    ['Looks good to me', 'text yes: Looks good to me'],
    ['1', 'text yes: 1'],
    ['Yes\n\nSent from my iPhone', 'text yes: Yes\n\nSent from my iPhone'],
    ['`ok`', 'text yes: `ok`'],
    ['\u{1F44D}\u{1F3FD}', 'text yes: \u{1F44D}\u{1F3FD}'],
    ['\u2764\uFE0F \u{1F389}', 'text yes: \u2764\uFE0F \u{1F389}'],
    ['use bigint\n\n-- \nBob Smith', 'text: use bigint\n\n-- \nBob Smith'],
    ['rename it to :rocket:', 'text: rename it to :rocket:'],
    ['yes, but use bigint', 'text: yes, but use bigint'],
    ['no', 'text: no'],
    ['```suggestion\nlet total = 0n\n```', 'text {let total = 0n}'],
    ['```suggestion\r\na\r\n\r\nb\r\n```\r\nnote', 'text {a||b}: note'],
    ['````suggestion\n```\n````', 'text {```}'],
    ['~~~ Suggestion \na\n~~~', 'text {a}'],
    ['  ```suggestion\n  a\n    b\n  ```', 'text {?}: ```suggestion\n  a\n    b\n  ```'],
    ['```suggestion\n```', 'text {}'],
    ['```suggestion\na\n```\n```suggestion\nb\n```', 'text {?}: ```suggestion\na\n```\n```suggestion\nb\n```'],
    ['```ts\nlet a\n```', 'text: ```ts\nlet a\n```'],
    ['```suggestion\nnever closed', 'text {?}: ```suggestion\nnever closed'],
    ['```ts\nnever closed', 'text: ```ts\nnever closed'],
    ['> ```suggestion\n> a\n> ```\n\nno', 'text: no'],
    ['<!--\n```suggestion\na\n```\n-->', 'text {?}: <!--\n```suggestion\na\n```\n-->'],
    ['```\nlet a = 1;\n```', 'text: ```\nlet a = 1;\n```'],
    ['sí, gracias', 'text yes: sí, gracias'],
    ['LGTM /approve', 'text yes: LGTM /approve'],
    ['drop `/approve` from the docs', 'text: drop `/approve` from the docs'],
    ['````\n```suggestion\na\n```\n````', 'text {?}: ````\n```suggestion\na\n```\n````'],
  ])('%j', (body, expected) => {
    expect(summarize(body)).toBe(expected);
  });
});

describe('R20: consent is no instruction, with or without a command on another line', () => {
  it.each([
    '@countersign lgtm',
    '@countersign[bot] looks good to me, thanks!',
    'LGTM /approve',
    '\u{1F44D} /approve',
    'please /approve this',
    'looks good\n\n/approve',
    'works for me',
    'Works for me, thank you very much!',
    'that works',
    'fine by me \u{1F389}',
    'This looks great',
    'ok ship it',
    '**LGTM**',
    '![LGTM](https://example.org/yes.png)',
    '1\uFE0F\u20E3',
    'thanks @ana',
    'passt so, danke',
    'ça marche, merci !',
    'Me parece bien',
    'muito bem, obrigado',
    'Согласен, спасибо',
    '看起来不错',
    'いいですね',
    'ठीक है, धन्यवाद',
    'موافق، شكرا',
    '좋아요',
    'lgtm\n\nMet vriendelijke groet,\nJan de Vries\n\nVerzonden vanaf mijn iPhone',
    'LGTM\n\nOp ma 23 nov 2026 om 10:00 schreef countersign[bot] <reply@example.org>:\n\n> **Edit**',
  ])('%j', (body) => {
    expect(summarize(body)).toMatch(/^@?text yes/);
  });

  it.each([
    'yes, but use bigint',
    'correct it',
    'thanks, now do the same in total.ts',
    'good idea, use bigint',
    'not good',
    'ok?\u{1F914} why not bigint',
    'do it in two steps',
    'works for strings only',
  ])('%j still instructs', (body) => {
    expect(summarize(body)).toMatch(/^text: /);
  });
});

describe('R21: a reason ends at the first blank or quoted line, whatever a mail program writes below', () => {
  it.each<Row>([
    ['/deny\n\nMet vriendelijke groet,\nJan', 'deny location'],
    ['/deny\n\nVerzonden vanaf mijn iPhone', 'deny location'],
    ['/deny too wide\nfor this file\n\nGesendet von Mail für Windows', 'deny location: too wide\nfor this file'],
    ['/deny\n\nLe lun. 23 nov. 2026 à 10:00, Ana a écrit :\n\n> **Edit**', 'deny location'],
    ['/deny\r\n\r\n________________________________\r\nVan: Ana\r\nVerzonden: maandag', 'deny location'],
    ['/deny\nEl lun, 23 nov 2026, Ana escribió:\n> **Edit**', 'deny location'],
    ['/approve\n\n差出人: Ana\n送信日時: 2026年11月23日', 'approve location'],
  ])('%j', (body, expected) => {
    expect(summarize(body)).toBe(expected);
  });
});

describe('a suggestion block stands alone only with nothing but white space around it (S48, S65)', () => {
  const block = '```suggestion\na\n```';

  function isAlone(body: string): boolean {
    const { parsed } = parseComment(COMMAND_GRAMMAR, body, 'countersign');
    return parsed.kind === 'text' && Array.isArray(parsed.suggestion) && parsed.isSuggestionAlone;
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
    [`/approve\n${block}`, 'malformed approve'],
    [`/approve\n\nBetter so:\n\n${block}`, 'malformed approve'],
    [`/approve k7q2\n${block}`, 'malformed approve'],
    [`/approve all\n${block}`, 'malformed approve'],
    [`/countersign /approve\n${block}`, 'malformed approve addressed'],
    ['/approve\n```suggestion\nnever closed', 'malformed approve'],
    ['/approve\n```ts\na\n```', 'approve location: ```ts\na\n```'],
    ['/approve\n> ```suggestion\n> a\n> ```', 'approve location'],
    [`/deny\n${block}`, `deny location: ${block}`],
    [`/edit so:\n${block}`, `edit location: so:\n${block}`],
  ])('%j', (body, expected) => {
    expect(summarize(body)).toBe(expected);
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

describe('the fields of a command', () => {
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
});
