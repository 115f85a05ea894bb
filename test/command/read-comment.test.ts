import { describe, expect, it } from 'vitest';
import type { Command, Slashless, Targets, Utterance } from '../../src/command/intent.ts';
import { readComment } from '../../src/command/read-comment.ts';

/** What a body says, in one short line that a table can hold. */
function said(body: string): string {
  return short(readComment(body, 'countersign').utterance);
}

function short(utterance: Utterance): string {
  switch (utterance.kind) {
    case 'command':
      return `${shortCommand(utterance.command)}${utterance.addressed && utterance.command.name !== 'task' ? ' addressed' : ''}`;
    case 'misfit':
      return [
        'misfit',
        utterance.command ?? 'planned',
        ...(utterance.word === '' ? [] : [utterance.word]),
        ...(utterance.addressed ? ['addressed'] : []),
      ].join(' ');
    case 'unknown-command':
      return `unknown ${utterance.word} ${utterance.nearest}${utterance.addressed ? ' addressed' : ''}`;
    case 'mention':
      return `${likeId(utterance.slashless)}mention: ${utterance.text}`;
    case 'remark':
      return shortRemark(utterance);
  }
}

function shortCommand(command: Command): string {
  switch (command.name) {
    case 'task':
      return `${likeId(command.slashless)}task: ${command.text}`;
    case 'approve':
      return join('approve', targets(command), command.note);
    case 'deny':
      return join('deny', targets(command), command.reason);
    case 'edit':
      return join('edit', targets(command), command.instruction);
    case 'ask':
      return `ask: ${command.text}`;
    case 'show':
    case 'undo':
      return join(command.name, targets(command), '');
    default:
      return command.name;
  }
}

function targets({ targets: aim }: { readonly targets: Targets }): string {
  return aim.by === 'ids' ? aim.ids.join('+') : aim.by;
}

function shortRemark(remark: Extract<Utterance, { kind: 'remark' }>): string {
  const flags = [remark.toSomebodyElse ? 'else' : '', remark.affirmation ? 'yes' : ''].filter((flag) => flag !== '');
  const blocks = remark.suggestions.map((lines) => `{${lines.join('|')}}`);
  if (remark.unclosedSuggestion) blocks.push('{…');
  return join('remark', [...flags, ...blocks].join(' '), remark.text);
}

function join(name: string, middle: string, text: string): string {
  return `${[name, middle].filter((part) => part !== '').join(' ')}${text === '' ? '' : `: ${text}`}`;
}

function likeId(slashless: Slashless | undefined): string {
  return slashless === undefined ? '' : `${slashless.word}(${slashless.id})? `;
}

type Row = readonly [body: string, expected: string];

describe('S57, F18: the grammar of a first line', () => {
  it.each<Row>([
    ['/approve', 'approve place'],
    ['/APPROVE', 'approve place'],
    ['/approve   ', 'approve place'],
    ['   /approve', 'approve place'],
    ['\n\n  \n/approve', 'approve place'],
    ['/approve\r\n', 'approve place'],
    ['\r\n/approve K7Q2\r\nthanks\r\n', 'approve k7q2: thanks'],
    ['/approve k7q2 m3x9', 'approve k7q2+m3x9'],
    ['/approve\tk7q2\t m3x9', 'approve k7q2+m3x9'],
    ['/approve k7q2 K7Q2', 'approve k7q2'],
    ['/approve all', 'approve all'],
    ['/approve ALL\n\nship it', 'approve all: ship it'],
    ['/approve\n/deny', 'misfit approve /deny'],
    ['/approve k7q2\n\n  /deny m3x9 too risky', 'misfit approve /deny'],
    [
      '/approve\n```\n/deny\n```\n> /deny\n\nnot `/deny`, /usr/bin\n/usr/bin',
      'approve place: ```\n/deny\n```\n> /deny\n\nnot `/deny`, /usr/bin\n/usr/bin',
    ],
    ['/deny\n/approve', 'deny place: /approve'],
    ['/deny\n\nSent from my iPhone', 'deny place'],
    ['/deny\n-- \nAna', 'deny place'],
    ['/deny too risky\n-- \nAna', 'deny place: too risky'],
    ['/approve k7q2\nthanks\n-- \nAna', 'approve k7q2: thanks\n-- \nAna'],
    ['/approve but rename it', 'misfit approve but'],
    ['/approve k7q2 but', 'misfit approve but'],
    ['/approve all k7q2', 'misfit approve all'],
    ['/approve abcd', 'misfit approve abcd'],
    ['/approve 1234', 'misfit approve 1234'],
    ['/approve 1', 'misfit approve 1'],
    ['/approve a1b2c3d', 'misfit approve a1b2c3d'],
    ['/approve k7q2, m3x9', 'misfit approve k7q2,'],
    ['/approve always', 'misfit approve always'],
    ['/approve k7q2 always src/*.ts', 'misfit approve always'],
    ['/deny', 'deny place'],
    ['/reject', 'deny place'],
    ['/Dismiss', 'deny place'],
    ['/deny too risky', 'deny place: too risky'],
    ['/deny too risky\nsee above', 'deny place: too risky\nsee above'],
    ['/deny k7q2 M3X9 too risky', 'deny k7q2+m3x9: too risky'],
    ['/deny k7q2\nbecause', 'deny k7q2: because'],
    ['/deny k7q2: too risky', 'deny k7q2: too risky'],
    ['/deny `k7q2`, (m3x9) and "p4t5"!', 'deny k7q2+m3x9+p4t5'],
    ['/deny k7q2,m3x9 and p4t5: no', 'deny k7q2+m3x9+p4t5: no'],
    ['/deny k7q2 & others', 'deny k7q2: & others'],
    ['/deny and k7q2', 'deny place: and k7q2'],
    ['/deny k7q2\u200B', 'deny k7q2'],
    ['/deny \u212A7q2: no', 'deny place: \u212A7q2: no'],
    ['/edit k7q2: use bigint', 'edit k7q2: use bigint'],
    ['/edit k7q2\u00A0use bigint', 'edit k7q2: use bigint'],
    ['/edit k7q2’s name', 'edit place: k7q2’s name'],
    ['/edit `k7q2`', 'misfit edit'],
    ['/deny all', 'deny all'],
    ['/deny all\nwrong file', 'deny all: wrong file'],
    ['/deny all of this is wrong', 'deny place: all of this is wrong'],
    ['/deny all k7q2', 'deny place: all k7q2'],
    ['/edit use bigint', 'edit place: use bigint'],
    ['/edit\nuse bigint', 'edit place: use bigint'],
    ['/edit all use bigint', 'edit all: use bigint'],
    ['/edit k7q2 use bigint', 'edit k7q2: use bigint'],
    ['/edit k7q2  k7q2x use', 'edit k7q2+k7q2x: use'],
    ['/edit', 'misfit edit'],
    ['/edit all', 'misfit edit'],
    ['/edit k7q2', 'misfit edit'],
    ['/continue', 'continue'],
    ['/stop', 'stop'],
    ['/stop\nenough', 'stop'],
    ['/stop now', 'misfit stop now'],
    ['/status', 'status'],
    ['/help', 'help'],
    ['/help me', 'misfit help me'],
    ['/countersign use bigint', 'task: use bigint'],
    ['/Countersign use bigint\n\n- everywhere\n', 'task: use bigint\n\n- everywhere'],
    ['/countersign', 'misfit task addressed'],
    ['/countersign\nuse bigint', 'misfit task addressed'],
    ['/countersign /approve k7q2', 'approve k7q2 addressed'],
    ['/countersign /Deny k7q2 no', 'deny k7q2: no addressed'],
    ['/countersign /approve but', 'misfit approve but addressed'],
    ['/countersign /countersign x', 'misfit task countersign addressed'],
    ['/countersign approve K7Q2', 'approve(k7q2)? task: approve K7Q2'],
    ['/countersign edit utf8 strings\ntoo', 'edit(utf8)? task: edit utf8 strings\ntoo'],
    ['@countersign deny k7q2', 'deny(k7q2)? mention: deny k7q2'],
    ['/countersign \u2215approve k7q2', 'misfit approve approve addressed'],
    ['@countersign \uFF0Fapprove k7q2', 'misfit approve approve addressed'],
    ['/countersign show 3 lines', 'misfit task show addressed'],
    ['/countersign approve', 'misfit task approve addressed'],
    ['/countersign Approve all', 'misfit task Approve addressed'],
    ['/countersign approve always', 'misfit task approve addressed'],
    ['/countersign revoke 2', 'misfit task revoke addressed'],
    ['/countersign stop.', 'misfit task stop addressed'],
    ['/countersign approve all!', 'misfit task approve addressed'],
    ['/countersign approve `K7Q2`.', 'approve(k7q2)? task: approve `K7Q2`.'],
    ['/countersign edit the README', 'task: edit the README'],
    ['/countersign show a spinner', 'task: show a spinner'],
    ['/countersign approved words need a list', 'task: approved words need a list'],
    ['/countersign /retest', 'unknown retest null addressed'],
    ['/countersign <!-- hidden --> do it', 'misfit task <!-- addressed'],
    ['/approve <!-- k7q2 -->', 'misfit approve <!--'],
    ['/approve<!-- -->', 'misfit approve <!--'],
    ['@countersign use bigint', 'mention: use bigint'],
    ['@Countersign[bot], use bigint\nplease', 'mention: use bigint\nplease'],
    ['@countersign\nuse bigint', 'mention: use bigint'],
    ['@countersign\u00A0use bigint', 'mention: use bigint'],
    ['@countersign[bot]\u3000use bigint', 'mention: use bigint'],
    ['@countersign\u2003/approve k7q2', 'misfit task approve addressed'],
    ['@countersign\u00A0\u00A0/approve k7q2', 'misfit approve approve addressed'],
    ['@countersign\u200Buse bigint', 'remark: @countersign\u200Buse bigint'],
    ['@countersign', 'misfit task addressed'],
    ['@countersign /approve k7q2', 'misfit task approve addressed'],
    ['@countersign approve', 'misfit task approve addressed'],
    ['@countersign <!-- x -->', 'misfit task <!-- addressed'],
    ['@countersign-dev use bigint', 'remark else: @countersign-dev use bigint'],
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
    ['/src/main.ts is wrong', 'remark: /src/main.ts is wrong'],
    ['/ask why?\nreally', 'ask: why?\nreally'],
    ['/ask\nwhy?', 'ask: why?'],
    ['/ask', 'misfit ask'],
    ['/show', 'show place'],
    ['/show K7Q2', 'show k7q2'],
    ['/show 3', 'misfit show 3'],
    ['/show k7q2 m3x9', 'misfit show m3x9'],
    ['/resume', 'resume'],
    ['/resume now', 'misfit resume now'],
    ['/undo k7q2', 'undo k7q2'],
    ['/countersign /undo k7q2', 'undo k7q2 addressed'],
  ])('%j', (body, expected) => {
    expect(said(body)).toBe(expected);
  });
});

describe('S57, S58, A15, F18: what only looks like a command', () => {
  it.each<Row>([
    ['', 'remark'],
    ['please /approve', 'remark: please /approve'],
    ['hello\n/approve', 'remark: hello\n/approve'],
    ['    /approve', 'remark: /approve'],
    ['\t/approve', 'remark: /approve'],
    ['  \t/approve', 'remark: /approve'],
    ['`/approve`', 'remark: `/approve`'],
    ['**/approve**', 'remark: **/approve**'],
    ['[/approve](https://example.org)', 'remark: [/approve](https://example.org)'],
    ['- /approve', 'remark: - /approve'],
    ['1. /approve', 'remark: 1. /approve'],
    ['# /approve', 'remark: # /approve'],
    ['\\/approve', 'remark: \\/approve'],
    ['```\n/approve\n```', 'remark: ```\n/approve\n```'],
    ['```\n/approve', 'remark: ```\n/approve'],
    ['~~~\n\n/approve\n~~~', 'remark: ~~~\n\n/approve\n~~~'],
    ['````\n```\n/approve\n````', 'remark: ````\n```\n/approve\n````'],
    ['> /approve', 'remark'],
    ['> > /approve', 'remark'],
    ['   > /approve\n\n', 'remark'],
    ['> /approve\n\nwhy?', 'remark: why?'],
    ['<!-- note -->\n/approve', 'remark: /approve'],
    ['<!-- note -->\n\n/approve', 'remark: /approve'],
    ['<!--\n/approve\n-->', 'remark'],
    ['<!-- x --> /approve', 'remark'],
    ['> x\n\n<!-- y -->\n/approve', 'remark: /approve'],
    ['<details>\n/approve\n</details>', 'remark: <details>\n/approve\n</details>'],
    ['<pre>\n\n/approve', 'remark: <pre>\n\n/approve'],
    ['[a]:\n/approve', 'remark: [a]:\n/approve'],
    ['On Mon, Nov 16, 2026 at 9:00 AM Ana <ana@example.org> wrote:\n> /approve', 'remark'],
    ['On ... wrote:\n\n> /approve', 'remark'],
    ['On Mon, Nov 16, 2026 Ana wrote:\n/approve', 'remark'],
    ['-----Original Message-----\n/approve', 'remark'],
    ['\u200B/approve', 'misfit approve approve'],
    ['\uFEFF/deny', 'misfit deny deny'],
    ['/app\u200Brove', 'misfit approve approve'],
    ['/approve\u0000', 'misfit approve approve'],
    ['/appr\u0000ove k7q2', 'misfit approve approve'],
    ['\uFF0Fapprove', 'misfit approve approve'],
    ['\u2215stop', 'misfit stop stop'],
    ['/\u0430pprove', 'unknown \u0430pprove approve'],
    ['/approve\u00A0k7q2', 'misfit approve approve'],
    ['/deny\u00A0k7q2 too long', 'misfit deny deny'],
    ['/approve\u3000all', 'misfit approve approve'],
    ['/approve\u2007k7q2', 'misfit approve approve'],
    ['/approve\u2800', 'misfit approve approve'],
    ['/app\u200Brove\u00A0k7q2', 'misfit approve approve'],
    ['/approve\u200Bk7q2', 'misfit approve approve'],
    ['\u00A0/ap\u00A0prove', 'misfit approve approve'],
    ['\u3000\uFF0Fapprove\u3000all', 'misfit approve approve'],
    ['/config\u00A0k7q2', 'misfit planned config'],
    ['/countersign\u00A0do it', 'misfit task countersign addressed'],
    ['/countersign\u00A0/approve', 'misfit task countersign addressed'],
    ['/countersign /approve\u00A0k7q2', 'misfit approve approve addressed'],
    ['/retest\u00A0k7q2', 'unknown retest\u00A0k7q2 null'],
    ['/approve\uFEFF', 'misfit approve approve'],
    ['/approve k7q2\u00A0', 'misfit approve k7q2\u00A0'],
    ['/approve k7q2\u200B', 'misfit approve k7q2\u200B'],
    ['/approve \u212A7q2', 'misfit approve \u212A7q2'],
    ['/approve\u2028k7q2', 'misfit approve approve'],
  ])('%j', (body, expected) => {
    expect(said(body)).toBe(expected);
  });
});

describe('S57: a line right below a quote belongs to it unless Markdown says otherwise', () => {
  it.each<Row>([
    ['> the change\n/approve', 'misfit approve >'],
    ['> the change\nmore\n/approve', 'misfit approve >'],
    ['> - item\n/deny it', 'misfit deny >'],
    ['> a\nb\n>     c\n/approve', 'misfit approve >'],
    ['> the change\n@countersign do it', 'misfit task > addressed'],
    ['> the change\n\n/approve', 'approve place'],
    ['> the change\n>\n/approve', 'approve place'],
    ['> ```\n> code\n> ```\n/approve', 'approve place'],
    ['> # Title\n/approve', 'approve place'],
    ['> quoted\nlazy\n\n/approve k7q2', 'approve k7q2'],
    ['> quoted\n/approve\n\n/deny k7q2', 'deny k7q2'],
    ['> quoted\n/approve\n\nplease do', 'misfit approve >'],
    ['> quoted\n- item\n\n/approve', 'remark: - item\n\n/approve'],
    ['> quoted\n# Title\n\n/approve', 'remark: # Title\n\n/approve'],
    ['> quoted\n***\n/approve', 'remark: ***\n/approve'],
    ['> quoted\nuse bigint', 'remark'],
  ])('%j', (body, expected) => {
    expect(said(body)).toBe(expected);
  });

  it('S57: a quote too long to be parsed swallows the line below it', () => {
    const long = '> word\n'.repeat(60);
    expect(said(`${long}/approve`)).toBe('misfit approve >');
    expect(said(`${long}\n/approve`)).toBe('approve place');
    expect(said(`${long}>\n/approve`)).toBe('approve place');
  });
});

describe('S45, S46, S48, S56, S62: plain words', () => {
  it.each<Row>([
    ['use bigint', 'remark: use bigint'],
    ['> let total = 0\n\nuse bigint', 'remark: use bigint'],
    ['use bigint\n\n> because\n\nplease', 'remark: use bigint\n\n\nplease'],
    ['> only a quote', 'remark'],
    ['<!-- hidden -->\nuse bigint', 'remark: use bigint'],
    ['@ana what do you think?', 'remark else: @ana what do you think?'],
    ['> x\n\n@acme/reviewers look', 'remark else: @acme/reviewers look'],
    ['ask @ana', 'remark: ask @ana'],
    ['yes', 'remark yes: yes'],
    ['OK!', 'remark yes: OK!'],
    ['lgtm', 'remark yes: lgtm'],
    ['LGTM, thanks \u{1F44D}\u{1F3FD}', 'remark yes: LGTM, thanks \u{1F44D}\u{1F3FD}'],
    ['Approved.', 'remark yes: Approved.'],
    ['approve', 'remark yes: approve'],
    [':+1:', 'remark yes: :+1:'],
    ['+1', 'remark yes: +1'],
    ['Looks good to me', 'remark yes: Looks good to me'],
    ['1', 'remark yes: 1'],
    ['42', 'remark yes: 42'],
    ['> x\n\nyes', 'remark yes: yes'],
    ['thanks', 'remark yes: thanks'],
    ['Yes\n\nSent from my iPhone', 'remark yes: Yes\n\nSent from my iPhone'],
    ['ok\n\n-- \nBob Smith', 'remark yes: ok\n\n-- \nBob Smith'],
    ['ok\r\n--\r\nBob Smith', 'remark yes: ok\n--\nBob Smith'],
    [`yes\n-- \n${'Bob '.repeat(40)}Smith`, `remark yes: yes\n-- \n${'Bob '.repeat(40)}Smith`],
    ['LGTM!\n\nGet Outlook for iOS', 'remark yes: LGTM!\n\nGet Outlook for iOS'],
    ['OK\n\nVon meinem iPhone gesendet', 'remark yes: OK\n\nVon meinem iPhone gesendet'],
    ['**LGTM**', 'remark yes: **LGTM**'],
    ['`ok`', 'remark yes: `ok`'],
    ['lgtm :rocket:', 'remark yes: lgtm :rocket:'],
    ['\u2705', 'remark yes: \u2705'],
    [':white_check_mark:', 'remark yes: :white_check_mark:'],
    ['\u{1F44D}\u{1F3FD}', 'remark yes: \u{1F44D}\u{1F3FD}'],
    ['\u2764\uFE0F \u{1F389}', 'remark yes: \u2764\uFE0F \u{1F389}'],
    ['> x\n\n-- \nBob Smith', 'remark'],
    ['use bigint\n\n-- \nBob Smith', 'remark: use bigint\n\n-- \nBob Smith'],
    ['rename it to :rocket:', 'remark: rename it to :rocket:'],
    ['no \u{1F44D}', 'remark: no \u{1F44D}'],
    ['yes, but use bigint', 'remark: yes, but use bigint'],
    ['1 is wrong', 'remark: 1 is wrong'],
    ['reject', 'remark: reject'],
    ['no', 'remark: no'],
    ['```suggestion\nlet total = 0n\n```', 'remark {let total = 0n}'],
    ['```suggestion\r\na\r\n\r\nb\r\n```\r\nnote', 'remark {a||b}: note'],
    ['````suggestion\n```\n````', 'remark {```}'],
    ['~~~ Suggestion \na\n~~~', 'remark {a}'],
    ['  ```suggestion\n  a\n    b\n  ```', 'remark {a|  b}'],
    ['```suggestion\n```', 'remark {}'],
    ['```suggestion\na\n```\n```suggestion\nb\n```', 'remark {a} {b}'],
    ['lgtm\n```suggestion\na\n```', 'remark {a}: lgtm'],
    ['```ts\nlet a\n```', 'remark: ```ts\nlet a\n```'],
    ['```suggestion\nnever closed', 'remark {…'],
    ['Like this:\n~~~~ Suggestion\na\n~~~\nplease', 'remark {…: Like this:'],
    ['lgtm\n```suggestion', 'remark {…: lgtm'],
    ['```suggestion\na\n```\nor\n```suggestion\nb', 'remark {a} {…: or'],
    ['```ts\nnever closed', 'remark: ```ts\nnever closed'],
    ['````\n```suggestion\na', 'remark: ````\n```suggestion\na'],
    ['> ```suggestion\n> a\n> ```\n\nno', 'remark: no'],
    ['<!--\n```suggestion\na\n```\n-->', 'remark'],
    ['````\n```suggestion\na\n```\n````', 'remark: ````\n```suggestion\na\n```\n````'],
  ])('%j', (body, expected) => {
    expect(said(body)).toBe(expected);
  });
});

describe('S42, S48, S65: a yes above a suggestion block is neither', () => {
  const block = '```suggestion\na\n```';
  it.each<Row>([
    [`/approve\n${block}`, 'misfit approve suggestion'],
    [`/approve\n\nBetter so:\n\n${block}`, 'misfit approve suggestion'],
    [`/approve k7q2\n${block}`, 'misfit approve suggestion'],
    [`/approve all\n${block}`, 'misfit approve suggestion'],
    [`/countersign /approve\n${block}`, 'misfit approve suggestion addressed'],
    ['/approve\n```suggestion\nnever closed', 'misfit approve suggestion'],
    ['/approve\n```ts\na\n```', 'approve place: ```ts\na\n```'],
    ['/approve\n> ```suggestion\n> a\n> ```', 'approve place: > ```suggestion\n> a\n> ```'],
    [`/deny\n${block}`, `deny place: ${block}`],
    [`/edit so:\n${block}`, `edit place: so:\n${block}`],
  ])('%j', (body, expected) => {
    expect(said(body)).toBe(expected);
  });

  it('but not above the copy that a mail program made of our comment', () => {
    const copy = 'Change 1 of 2 · `k7q2` · digest `0123456789ab` · head `9f8e7d6`\n\n```suggestion\na\n```';
    expect(said(`/approve\n\nAna skrev:\n\n${copy}`)).toMatch(/^approve place/);
  });
});

describe('S58, A15: an e-mail reply ends where its header begins', () => {
  it.each<Row>([
    ['/approve\n\nOn Mon, Nov 16, 2026 at 9:00 AM Ana <ana@example.org> wrote:\n\n> old', 'approve place'],
    [
      '/approve\nnote\n\nOn Mon, Nov 16, 2026 at 9:00 AM Ana <\nana@example.org> wrote:\n\n> old',
      'approve place: note',
    ],
    ['/deny no\n\n-----Original Message-----\nFrom: x', 'deny place: no'],
    ['/edit do it\n\nFrom: Ana\nSent: Monday\nTo: Bob\n\nold', 'edit place: do it'],
    ['/edit do it\n\nAm 16.11.2026 um 09:00 schrieb Ana:\n> old', 'edit place: do it'],
    ['/edit do it\n\nLe lun. 16 nov. 2026, Ana a écrit :\n> old', 'edit place: do it'],
    [
      '/edit do it\n\nEl lun, 16 nov 2026 a las 9:00, Ana (<ana@example.org>) escribi\u00F3:\n> old',
      'edit place: do it',
    ],
    [
      '/edit do it\n\nIl giorno lun 16 nov 2026 alle ore 09:00 Ana <ana@example.org> ha scritto:\n> old',
      'edit place: do it',
    ],
    ['/edit do it\n\nVon: Ana\nGesendet: Montag\nAn: Bob\n\nold', 'edit place: do it'],
    [
      'ok\n\n________________________________\n*Von:* Ana\n*Gesendet:* Montag\n\nold',
      'remark yes: ok\n\n________________________________',
    ],
    ['use bigint\n\nOn Monday Ana wrote:\n> old\n> older', 'remark: use bigint'],
    ['why?\n\n-----Original Message-----\nFrom: x\n\n```suggestion\na\n```', 'remark: why?'],
    ['so:\n```suggestion\nb\n```\n-----Original Message-----\n```suggestion\na\n```', 'remark {b}: so:'],
    ['/edit do it\nOn Monday Ana wrote:\nsomething', 'edit place: do it\nOn Monday Ana wrote:\nsomething'],
    ['/edit do it\n```\nOn 1 Nov 2026 Ana wrote:\n```', 'edit place: do it\n```\nOn 1 Nov 2026 Ana wrote:\n```'],
  ])('%j', (body, expected) => {
    expect(said(body)).toBe(expected);
  });
});

describe('what a command keeps', () => {
  it('S62: deny and edit keep their whole text, for a thread in which it begins like an id', () => {
    expect(readComment('/deny UTF8 breaks\nhere', 'countersign').utterance).toEqual({
      kind: 'command',
      addressed: false,
      command: {
        name: 'deny',
        targets: { by: 'ids', ids: ['utf8'] },
        reason: 'breaks\nhere',
        line: 'UTF8 breaks\nhere',
      },
    });
    expect(readComment('/edit utf8 first', 'countersign').utterance).toEqual({
      kind: 'command',
      addressed: false,
      command: { name: 'edit', targets: { by: 'ids', ids: ['utf8'] }, instruction: 'first', line: 'utf8 first' },
    });
  });

  it('S62: each misfit says in plain words what to write', () => {
    const bodies = [
      '/approve but',
      '/edit',
      '/stop now',
      '/countersign',
      '/countersign approve',
      '/ask',
      '/show x',
      '/config',
      '> q\n/stop',
    ];
    for (const body of bodies) {
      const { utterance } = readComment(body, 'countersign');
      expect(utterance.kind).toBe('misfit');
      if (utterance.kind === 'misfit') expect(utterance.hint).toMatch(/^[A-Z`].{20,}\.$/s);
    }
  });

  it('a hint never repeats what a person wrote', () => {
    const { utterance } = readComment('/approve @everyone', 'countersign');
    expect(utterance).toMatchObject({ kind: 'misfit', word: '@everyone' });
    if (utterance.kind === 'misfit') expect(utterance.hint).not.toContain('everyone');
  });
});
