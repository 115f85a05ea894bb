import fc from 'fast-check';
import { anyCharacter } from '../../../support/any-character.ts';

const pieces = [
  ...['*️⃣*️⃣', '#️⃣ ', '`', '``', '```', '~~~', '```suggestion', '```suggestion\n', '\n', '\n\n', '\r', '\r\n'],
  ...['\t', ' ', '    ', '\0', '\\', '|', '<', '>', '<!--', '-->', '<!-- countersign:proposal:k7q2 -->'],
  ...['<!-- counter', 'sign:x', '</details>', '<details>', '<img src=x>', '![a](http://evil.test/x.png)'],
  ...['[a](http://evil.test)', '[a]: http://evil.test', 'http://evil.test', 'www.evil.test', 'www.'],
  ...['WWW.`a @ana`', '@ana', '@org/team', '&#64;ana', '&commat;ana', '#1', 'ana/shop#5', 'GH-5', 'fixes #1'],
  ...['closes GH-1', '/approve', '/approve k7q2', '/stop', '# Heading', '===', '---', '- item', '* item', '1. one'],
  ...['2) two', '> quote', '> [!NOTE]', '**bold**', '_x_', '$x$', ':tada:', '|a|b|', '|---|---|', '[^1]'],
  ...['[^1]: note', 'a1b2c3d', 'JIRA-12', '\u202E', '\u200B', '\uFEFF', '\u{E0041}', '\u2028', '\uD800', '👩‍👩‍👧'],
  ...['❤️', 'mail@evil.test', 'word', '1', '.', ')', '(', '!', '[', ']', '-', "'", '"', ',', 'don’t', 'total.ts'],
  ...['é', '\u0301'],
];

/** Text of all parts that have a meaning in Markdown or on GitHub. */
export const hostileText = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...pieces) },
      { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 6 }) },
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''));
