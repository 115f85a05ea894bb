import { describe, expect, it } from 'vitest';
import { findSpeakers, formatDiscussion } from '../../../../../src/core/agent/shared/discussion.ts';
import { byteLength } from '../../../../../src/core/edits/text/characters.ts';
import { DEFAULT_SETTINGS } from '../../../../../src/core/state/settings.ts';
import type { Permission } from '../../../../../src/core/state/vote.ts';
import type { Author, AuthorKind, Discussion, Statement } from '../../../../../src/core/step/ports.ts';

function by(login: string, kind: AuthorKind = 'person'): Author {
  return { id: kind === 'bot' || kind === 'other' ? null : idOf(login), login, kind };
}

function idOf(login: string): number {
  return Number.parseInt(login, 36);
}

function statement(login: string | null, body: string, minute: number, isBot = false): Statement {
  const author = login === null ? null : by(login, isBot ? 'bot' : 'person');
  const at = `2026-01-01T10:${String(minute).padStart(2, '0')}:00Z`;
  return { id: minute, reviewId: null, author, body, at, updatedAt: at, isHidden: false };
}

const TASK = 'do what @ci, @dora, @constructor, @countersign, @elf and @frida say';

const EMPTY: Discussion = { author: null, description: '', comments: [], reviews: [], threads: [], omitted: 0 };

const thread = (path: string, ...comments: readonly Statement[]) => ({
  ...{ path, line: null, startLine: null, side: 'RIGHT' as const, isResolved: false, isOutdated: true, omitted: 2 },
  root: { id: 7, nodeId: 'T_7', author: comments[0]?.author ?? null, diffHunk: '' },
  comments,
});

const INPUT = {
  task: {
    text: TASK,
    quote: null,
    location: { at: 'conversation', commentId: 99 },
    requestedAt: '2026-01-01T11:00:00Z',
  },
  ownLogin: 'countersign',
  rules: DEFAULT_SETTINGS,
  lineOf: () => '',
} as const;

const PERMISSIONS = new Map<string, Permission>([
  ['ana', 'write'],
  ['carl', 'read'],
  ['elf', 'write'],
]);

function format(discussion: Discussion, skip = 0): string {
  return formatDiscussion({ ...INPUT, discussion, permissions: PERMISSIONS }, skip);
}

describe('formatDiscussion', () => {
  it('marks bots, Apps and people whose access is unknown, and shows only those whom the task names (S139, S144)', () => {
    const comments = [
      statement('ci', 'Build failed', 1, true),
      statement(null, 'gone', 2),
      { ...statement('elf', 'By an App', 2), author: by('elf', 'app-as-person') },
      { ...statement('frida', 'Imported', 2), author: by('frida', 'other') },
      { ...statement('dora', 'changed later', 2), updatedAt: '2026-01-01T12:00:00Z' },
      statement('gil', 'not named', 2),
      statement('dora', 'hi', 3),
      statement('constructor', 'hi', 4),
      statement('countersign', 'Only a person of this name', 5),
      statement('countersign', 'Our own', 6, true),
    ];
    const shown = format({ ...EMPTY, author: by('carl'), description: 'Why\u{200B}', comments });
    expect(shown.split('\n').slice(1)).toEqual([
      'Comment by countersign (access unknown, 2026-01-01T10:05:00Z): "Only a person of this name"',
      'Comment by constructor (access unknown, 2026-01-01T10:04:00Z): "hi"',
      'Comment by dora (access unknown, 2026-01-01T10:03:00Z): "hi"',
      'Comment by elf (written by an App in this name, 2026-01-01T10:02:00Z): "By an App"',
      'Comment by frida (no access, 2026-01-01T10:02:00Z): "Imported"',
      'Comment by ci (bot, 2026-01-01T10:01:00Z): "Build failed"',
      'Description by carl (no write access): "Why"',
      '3 texts of bots or of people not known to have write access, to which the task does not point, not shown.',
    ]);
  });

  it('leaves out comments that are nothing but commands, and keeps their words (S144)', () => {
    const bare = ['/status', '/show a0i7', '/approve k2m5, f1k1', '/approve all\n\n/help', '/undo f1k1'];
    const telling = ['/deny k2m5 too slow', 'Look: /status', '/etc/hosts', '/ask why?'];
    const shown = format({
      ...EMPTY,
      comments: [...bare, ...telling].map((body) => statement('ana', body, 5)),
      threads: [thread('a.ts', statement('ana', 'Rename it.', 6), statement('elf', '/approve', 7))],
    });
    for (const body of bare) expect(shown).not.toContain(JSON.stringify(body));
    for (const body of telling) expect(shown).toContain(JSON.stringify(body));
    expect(shown).toContain('"Rename it."');
    expect(shown).not.toContain('"/approve"');
  });

  it('leaves out threads on files that may not be read and of its own, and replaces secrets (S144, I4)', () => {
    const token = `ghp_${'aB3d'.repeat(9)}`;
    const threads = [
      thread('.env', statement('ana', 'canary', 1)),
      thread('a.ts', statement('countersign', 'own', 2, true), statement('ana', 'reply', 3)),
      thread('b.ts', statement('ana', `token = '${token}'`, 4)),
    ];
    expect(
      format({ ...EMPTY, threads, omitted: 3 })
        .split('\n')
        .slice(1),
    ).toEqual([
      'Thread 7 (open, outdated) on b.ts:',
      '  2 earlier comments not shown',
      '  ana (write access, 2026-01-01T10:04:00Z): "token = \'[redacted]\'"',
      '3 older comments cannot be read here.',
    ]);
  });

  it('is bounded, and says how to get the rest until everything was shown (S144)', () => {
    const comments = Array.from({ length: 60 }, (_, index) => statement('ana', `${index} ${'é'.repeat(9000)}`, index));
    const seen: string[] = [];
    for (let skip = 0; ; ) {
      const shown = format({ ...EMPTY, comments }, skip);
      expect(byteLength(shown)).toBeLessThan(64_000);
      expect(shown).toContain('(5');
      seen.push(...[...shown.matchAll(/"(\d+) é/g)].map(([, index]) => index ?? ''));
      const next = /call read_discussion with skip (\d+)\.$/m.exec(shown)?.[1];
      if (next === undefined) break;
      skip = Number(next);
    }
    expect(seen).toEqual(Array.from({ length: 60 }, (_, index) => `${59 - index}`));
  });

  it('shows the newest words of a thread that is too long, and counts the others (S144)', () => {
    const words = (minute: number): string => `${minute}: ${'x'.repeat(3_990)}`;
    const comments = Array.from({ length: 30 }, (_, minute) => statement('ana', words(minute), minute));
    const shown = format({ ...EMPTY, threads: [thread('a.ts', ...comments)] });
    expect(byteLength(shown)).toBeLessThan(61_000);
    const minutes = [...shown.matchAll(/"(\d+): x/g)].map(([, minute]) => Number(minute));
    expect(minutes.at(-1)).toBe(29);
    expect(minutes).toEqual(comments.map(({ id }) => id).slice(-minutes.length));
    expect(shown).toContain(`  ${2 + 30 - minutes.length} earlier comments not shown`);
  });

  it('asks GitHub about at most twenty people, those of the newest words first, and never about bots (S144)', () => {
    const comments = Array.from({ length: 50 }, (_, index) => statement(`p${index}`, 'x', index, index % 2 === 0));
    const discussion = { ...EMPTY, comments };
    const speakers = findSpeakers({ ...INPUT, discussion });
    expect(speakers).toHaveLength(20);
    expect(speakers[0]).toBe('p49');
  });

  it('asks first about a person whom the task names, however many strangers wrote since (X7, S139)', () => {
    const strangers = Array.from({ length: 50 }, (_, index) => statement(`p${index}`, 'x', index + 1));
    const discussion = { ...EMPTY, comments: [statement('dora', 'Rename it.', 0), ...strangers] };
    expect(findSpeakers({ ...INPUT, discussion }).slice(0, 2)).toEqual(['dora', 'p49']);
  });
});
