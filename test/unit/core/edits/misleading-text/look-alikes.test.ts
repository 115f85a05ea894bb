import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asciiLikeness } from '../../../../../src/core/edits/misleading-text/confusables.ts';
import { hasWideGap, isCodeReordered } from '../../../../../src/core/edits/misleading-text/line-display.ts';
import { findLookAlikes, findLookAlikesInPath } from '../../../../../src/core/edits/misleading-text/look-alikes.ts';
import { findHiddenCharacters } from '../../../../../src/core/edits/text/unicode.ts';
import { cpuSeconds } from '../../../../support/cpu-time.ts';
import { CONFUSABLE_CHARACTERS } from './confusable-characters.ts';

const confusables = CONFUSABLE_CHARACTERS.map((character) => ({
  character,
  likeness: asciiLikeness(character) ?? '',
}));

const identifier = fc.stringMatching(/^[a-z][a-zA-Z]{1,8}$/);

function isNamed(line: string, character: string, path = 'src/a.ts'): boolean {
  return findLookAlikes(line, path).some(({ codePoint }) => String.fromCodePoint(codePoint) === character);
}

describe('look-alikes', () => {
  it('knows Unicode’s confusables of ASCII', () => {
    expect(confusables.length).toBeGreaterThan(1500);
    expect(asciiLikeness('\u01C1')).toBe('||');
    expect(asciiLikeness('é')).toBeNull();
  });

  it('a letter that looks like an ASCII one is named in any identifier and in any path (X1)', () => {
    const letters = confusables.filter(({ likeness }) => /^[A-Za-z0-9]+$/.test(likeness));
    fc.assert(
      fc.property(fc.constantFrom(...letters), identifier, identifier, ({ character }, before, after) => {
        expect(isNamed(`  const ${before}${character}${after} = 1;`, character)).toBe(true);
        const path = `src/${before}${character}${after}.ts`;
        expect(findLookAlikesInPath(path).some(({ codePoint }) => codePoint === character.codePointAt(0))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('a sign that looks like an ASCII one is named among operators, in identifiers and in paths (X1)', () => {
    const signs = confusables.filter(({ likeness }) => !/[A-Za-z0-9]/.test(likeness));
    fc.assert(
      fc.property(fc.constantFrom(...signs), identifier, identifier, ({ character }, left, right) => {
        for (const line of [`if (${left} ${character} ${right}) {`, `${left} = f(1${character}${right});`])
          expect(isNamed(line, character), line).toBe(true);
        // An apostrophe within a word is prose in every language.
        if (character === '’') return;
        expect(isNamed(`${left}${character}${right} = 1;`, character)).toBe(true);
        expect(findLookAlikesInPath(`${left}${character}${right}`)).not.toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['an assignment that reads as a comparison', 'if (environment\u01C3=PROD) {', '\u01C3', '!'],
    ['two clicks for ||', 'return isAdmin\u01C1isOwner;', '\u01C1', '||'],
    ['one click for |', 'return a\u01C0b;', '\u01C0', '|'],
    ['a Latin alpha', 'p\u0251yload();', '\u0251', 'a'],
    ['a script g', "import { log } from './lo\u0261in.ts';", '\u0261', 'g'],
    ['an i without a dot', 'adm\u0131n = true;', '\u0131', 'i'],
    ['a small capital', 'const u\u1D04l = 1;', '\u1D04', 'c'],
    ['a whole Cyrillic word', 'grant(\u0455\u0441\u043E\u0440\u0435);', '\u0455', 's'],
    ['a whole word in a template', 'f(`x-$' + '{\u0455\u0441\u043E\u0440\u0435}`);', '\u0455', 's'],
    ['a slash within an address', "fetch('https://github.com\u2215evil.com');", '\u2215', '/'],
    ['a full-width bracket', 'if \uFF08isAdmin) {', '\uFF08', '('],
    ['a full-width semicolon', 'a = b\uFF1B', '\uFF1B', ';'],
    ['a full-width exclamation mark', 'if (\uFF01isAdmin) {', '\uFF01', '!'],
    ['a minus sign', 'a \u2212 b', '\u2212', '-'],
    ['a hyphen', 'rm \u2010rf /', '\u2010', '-'],
    ['an asterisk operator', 'a \u2217 b;', '\u2217', '*'],
    ['a one dot leader', 'user\u2024isAdmin', '\u2024', '.'],
    ['a Hebrew letter within a string of one word', "if (role === 'contro\u05D5ler') {", '\u05D5', 'l'],
    ['an Arabic digit within a word of a comment', '// the \u0661 in use\u0665r', '\u0665', 'o'],
    ['a katakana letter for a slash', 'x = a\u30CEb;', '\u30CE', '/'],
  ])('%s is named (X1)', (_, line, character, looksLike) => {
    expect(findLookAlikes(line, 'src/a.ts')).toContainEqual({
      codePoint: character.codePointAt(0),
      line: 1,
      looksLike,
    });
  });

  it.each([
    ['a.ts', '  * ѕсоре;'],
    ['a.ts', '  * ѕсоре'],
    ['a.ts', '  * (await get()) + ѕсоре;'],
    ['a.ts', "  * f('a b') * ѕсоре"],
    ['a.go', '    * ѕсоре + base'],
    ['a.tsx', 'return level>3 && ѕсоре'],
    ['a.tsx', 'x<y && z>ѕсоре'],
    ['a.vue', '  ok = () => user.level>3 && ѕсоре && other'],
    ['a.php', '  return $n>0 and ѕсоре'],
    ['a.nix', 'base // ѕсоре'],
    ['a.f90', 'name = base // ѕсоре // tail'],
    ['a.c', '*/ if ( ѕсоре ) run();'],
    ['a.c', ' * done */ if ( ѕсоре ) run();'],
    ['a.rs', "fn f<'a>(x: ѕсоре , y: &'a str) {"],
    ['a.m', 'return n % ѕсоре ;'],
    ['a.ts', 'x = /[/*]/.test(y) && ѕсоре'],
    ['a.ts', 'const s = `\u0024{ ѕсоре }`;'],
    ['a.ts', '` + ѕсоре + `'],
    ['a.rb', 'puts "#{ ѕсоре }"'],
    ['a.sh', 'echo "$( ѕсоре )"'],
    ['a.py', 'print(f"{ ѕсоре }")'],
    ['a.yml', 'run: "\u0024{{ ѕсоре }}"'],
  ])('in %s, %j names a Cyrillic word that is code (X1)', (path, line) => {
    expect(findLookAlikes(line, path).map(({ looksLike }) => looksLike)).toEqual([...'scope']);
  });

  it('a path with a script g or a slash operator is named, one in another language is not (X1)', () => {
    for (const path of ['src/lo\u0261in.ts', 'src\u2215login.ts', 'src/\u0455\u0441\u043E\u0440\u0435.ts'])
      expect(findLookAlikesInPath(path)).not.toEqual([]);
    for (const path of ['docs/план.md', 'docs/о нас.md', '文档（草稿）.md', 'docs/ノート.md', 'docs/kılavuz/é.md'])
      expect(findLookAlikesInPath(path).filter(({ looksLike }) => looksLike !== 'i')).toEqual([]);
  });

  it.each([
    ['src/a.ts', '// 调用 foo（bar）；然后返回！'],
    ['src/a.ts', "throw new Error('用户（{id}）不存在：请重试！');"],
    ['src/a.ts', '   用户（管理员）：可以删除'],
    ['src/a.ts', '// ノートを保存する（Webノート）'],
    ['src/a.ts', "const title = 'рост и сор, а также СССР';"],
    ['src/a.ts', 'а также о росте и соре'],
    ['src/a.ts', '// kadın ısı, Straße, œuvre, người'],
    ['src/a.tsx', '<p>Don’t worry… kadın – erkek “ısı”</p>'],
    ['src/a.ts', '// l’été à Paris, ça va ?'],
    ['src/a.ts', 'L’activité que vous exercez'],
    ['src/a.ts', '// שלום עולם ה־API שלנו'],
    ['src/a.ts', "t('ה־API, הAPI וAPIים'); // الـAPI والAPI"],
    ['src/a.ts', 'const letters = /[а-яё]+-[α-ω]/i;'],
    ['src/a.ts', "t('مرحبا بالعالم، كيف حالك؟');"],
    ['src/a.ts', '// οι σ και ο είναι άρθρα'],
    ['src/a.py', '# यह शब्दः है'],
    ['src/a.py', 'x = 1  # สวัสดี ๐'],
    ['src/a.ts', '// 안녕하세요（API）'],
    ['docs/a.md', 'The word git is /ɡɪt/, 1⁄2, 10–20, km – “x” − y, и/или, а/б.'],
    ['src/a.ts', 'Δt = 5µs'],
    ['src/a.tsx', 'סטטוס'],
    ['a.yml', 'taux: à l’**impôt** sur'],
    ['src/a.tsx', 'Please wait – we “save” it'],
    ['docs/a.md', 'The sounds /ɣ/ and /ɩ/.'],
    ['src/a.ts', ' * а также'],
    ['src/a.ts', ' * или СССР, а также НЕТ;'],
    ['src/a.ts', ' * @param {number} а'],
    ['src/a.ts', ' * Don’t use “it” – it’s low overhead. One kind of'],
    ['src/a.ts', ' * 调用 foo（bar）、baz：返回'],
    ['src/a.ts', ' * ТЕСТ */'],
    ['src/a.tsx', '<td>НЕТ</td><td>а</td>'],
    ['src/a.tsx', '<p>Don’t (ever) “do” it'],
    ['src/a.vue', '  class="a">НЕТ</td>'],
    ['src/a.rs', '// НЕТ'],
    ['data/a.dat', '// Shangri‐La “la Caixa” of Barcelona'],
    ['src/a.ts', "f(`СССР \u0024{ t('СССР') } или`);"],
    ['src/a.py', "f'СССР {year}'  # СССР"],
  ])('in %s, %j has none (X1)', (path, line) => {
    expect(findLookAlikes(line, path)).toEqual([]);
  });

  it.each([
    ['a.ts', 'if (role != "user＂ && isAdmin(＂x") {', '＂', '"'],
    ['a.ts', 'if (role != "user” && isAdmin(“x") {', '”', '"'],
    ['a.ts', "if (role != 'user’ && isAdmin(‘x') {", '’', "'"],
    ['a.ts', "if (isUser('ben′)) { deny(′x')) {", '′', "'"],
    ['a.ts', 'run(`a｀; check(); ｀b`);', '｀', '`'],
    ['a.py', 'x = "a״ + check() + ״b"', '״', '"'],
    ['a.sql', "select 'x＇ or owner = ＇1'", '＇', "'"],
    ['a.ts', '/* validates *∕ validateInput(x); /* done */', '∕', '/'],
    ['a.ts', '/* validates ∗/ validateInput(x); /* done */', '∗', '*'],
    ['a.ts', ' * Validates it. *∕ validateInput(x); /*', '∕', '/'],
    ['a.html', '<!-- signed in -−> <p>safe</p> <!-- -->', '−', '-'],
  ])('in %s, %j names the false end of a string or comment, below which code only seems to run (X1)', (...given) => {
    const [path, line, character, looksLike] = given;
    const codePoint = character.codePointAt(0);
    expect(findLookAlikes(line, path)).toContainEqual({ codePoint, line: 1, looksLike });
  });

  it.each([
    ['a.ts', "say('Press “Save” (twice), don’t wait; it’s “done”.');"],
    ['a.ts', 'say("Il a dit “oui” ? Non: l’été");'],
    ['a.ts', 'say("ש״ס 12″ and 5′ — “a” or “b”");'],
    ['a.ts', '/* **用户**：可以删除 — 10 ∗ 2 */'],
    ['a.md', '**用户**／**管理员**'],
    ['a.md', '* **用户**／**管理员** (admin)'],
  ])('in %s, %j has no false end (X1)', (path, line) => {
    expect(findLookAlikes(line, path)).toEqual([]);
  });

  it('takes time linear in the length of a line (X1)', () => {
    const search = () => {
      for (const piece of [
        '\u0430 ',
        '（',
        '"\\"',
        '\u0430\u3000',
        "\u0430'",
        '> ',
        '/*',
        'é.é ',
        '\u0261 1a ',
        'א"',
        'a    ',
        '”)',
        '∗',
        'א-',
        '[א',
      ]) {
        const line = piece.repeat(100_000 / piece.length);
        findLookAlikes(line, 'a.tsx');
        findHiddenCharacters(line);
        isCodeReordered(line, 'a.tsx');
        hasWideGap(line);
      }
    };
    expect(cpuSeconds(search)).toBeLessThan(10);
  });
});
