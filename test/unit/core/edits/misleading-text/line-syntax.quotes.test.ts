import { describe, expect, it } from 'vitest';
import { isCodeReordered } from '../../../../../src/core/edits/misleading-text/line-display.ts';
import { splitLine } from '../../../../../src/core/edits/misleading-text/line-syntax.ts';
import { findLookAlikes } from '../../../../../src/core/edits/misleading-text/look-alikes.ts';
import { cpuSeconds } from '../../../../support/cpu-time.ts';

const raw = String.raw;

/** The parts of a line that are text. */
function textOf(path: string, line: string): readonly string[] {
  return splitLine(line, path).flatMap(({ kind, text }) => (kind === 'text' ? [text] : []));
}

/** Valid code, in which `ѕсоре` is a variable between two literals. */
const VARIABLES: Readonly<Record<string, readonly (readonly [path: string, line: string])[]>> = {
  'a backslash that escapes nothing': [
    ['a.cs', raw`var file = root + @"\" + ѕсоре + @"\";`],
    ['a.cs', raw`if (path.StartsWith(@"\") && ѕсоре || path.EndsWith(@"\")) Grant();`],
    ['a.cs', raw`var file = $@"{root}\" + ѕсоре + $@"\{b}\";`],
    ['a.vb', raw`file = root & "\" & ѕсоре & "\"`],
    ['a.pas', raw`Result := Root + '\' + ѕсоре + '\';`],
    ['a.ps1', raw`$file = $root + '\' + ѕсоре + '\'`],
    ['a.ps1', raw`$file = "$root\" + $ѕсоре + "\"`],
    ['a.go', 'file := root + `\\` + ѕсоре + `\\`'],
    ['a.rs', raw`let file = root + r"\" + ѕсоре + r"\";`],
    ['a.dart', raw`var file = root + r'\' + ѕсоре + r'\';`],
    ['a.sql', raw`select root || '\' || ѕсоре || '\' from files`],
    ['a.sh', raw`file=$root'\'$ѕсоре'\'`],
    ['a.f90', raw`file = root // '\' // ѕсоре // '\'`],
    ['a.kt', raw`val file = root + """\""" + ѕсоре + """\"""`],
    ['a.swift', raw`let file = root + #"\"# + ѕсоре + #"\"#`],
    ['a.js', raw`<A b="\" c={ѕсоре} d="\" />`],
    ['a.fs', raw`let file = root + @"\" + ѕсоре + @"\"`],
    ['a.yml', raw`run: file='\'$ѕсоре'\'`],
    ['a.other', raw`file = root + '\' + ѕсоре + '\'`],
  ],
  'one that escapes nothing beside one that does': [
    ['a.cs', raw`var file = "\"" + @"\" + ѕсоре + @"\" + "\"";`],
    ['a.sql', raw`select E'\'' || '\' || ѕсоре || '\' || E'\''`],
    ['a.sh', raw`echo "\"" '\'$ѕсоре'\' "\""`],
    ['a.other', raw`file = "\"" + @"\" + ѕсоре + @"\" + "\""`],
  ],
  'another sign that escapes, or a backslash outside of a string': [
    ['a.ps1', '$x = "`"" + $ѕсоре + "`""'],
    ['a.sh', raw`echo \' $ѕсоре \'`],
  ],
  'a quote behind two letters that opens a string': [
    ['a.py', raw`key = rb'a' + ѕсоре + rb'b'  # it's`],
    ['a.py', raw`key = br'a' + ѕсоре + br'b\''`],
    ['a.py', raw`return'a' + ѕсоре + 'b'  # it's`],
    ['a.js', raw`return'a' + ѕсоре + 'b' // it's`],
    ['a.ts', raw`case'a': return ѕсоре + 'b' // it's`],
    ['a.php', raw`return'a' . ѕсоре . 'b'; // it's`],
    ['a.rb', raw`puts'a' + ѕсоре + 'b' # it's`],
  ],
  'a quote that is a literal, or in one': [
    ['a.rb', raw`x = ?' + ѕсоре + ?'`],
    ['a.rb', raw`x = %q(') + ѕсоре + %q(')`],
    ['a.rb', raw`x = y =~ /'/ && ѕсоре && z =~ /'/`],
    ['a.ex', raw`x = ?' + ѕсоре + ?'`],
    ['a.ex', raw`x = ~s(") <> ѕсоре <> ~s(")`],
    ['a.erl', raw`X = $" + ѕсоре + $".`],
    ['a.erl', raw`X = $% + ѕсоре.`],
    ['a.lua', raw`x = [[']] .. ѕсоре .. [[']]`],
    ['a.pl', raw`my $x = q(') . ѕсоре . q(');`],
    ['a.jl', raw`x = a' * ѕсоре * b'`],
    ['a.js', raw`x = () => /'/.test(a) && ѕсоре && /'/.test(b)`],
    ['a.js', raw`if (a) /'/.test(b) && ѕсоре && /'/.test(c)`],
    ['a.cpp', raw`auto x = R"(")" + ѕсоре + R"(")";`],
    ['a.rs', raw`let x = r#"""# + ѕсоре + r#"""#;`],
    ['a.cs', raw`var x = """ " """ + ѕсоре + """ " """;`],
    ['a.kt', raw`val x = """a"""" + ѕсоре + """"b"""`],
    ['a.sql', raw`select $$'$$ || ѕсоре || $$'$$`],
    ['a.d', 'x = `"` ~ ѕсоре ~ `"`;'],
    ['a.hs', raw`x = [r|"|] ++ ѕсоре ++ [r|"|]`],
    ['a.ml', raw`let x = {|"|} ^ ѕсоре ^ {|"|}`],
    ['a.nix', raw`x = ''"'' + ѕсоре + ''"'';`],
    ['a.clj', raw`(str \" ѕсоре \")`],
    ['a.r', raw`x <- r"(")" + ѕсоре + r"(")"`],
    ['a.other', raw`x = [[']] .. ѕсоре .. [[']]`],
  ],
};

describe('unsure quotes', () => {
  for (const [what, lines] of Object.entries(VARIABLES))
    it.each(lines)(`beside ${what}, a Cyrillic variable is named (X1): %s, %s`, (path, line) => {
      expect(findLookAlikes(line, path).map(({ looksLike }) => looksLike)).toEqual([...'scope']);
    });

  it('their line counts as code in another order (X1)', () => {
    expect(isCodeReordered(raw`if (a == @"\" && אבג < דהו && b == @"\") {}`, 'a.cs')).toBe(true);
  });

  it.each([
    ['a.ts', raw`f('a\'b') // it's`, [raw`'a\'b'`, "// it's"]],
    ['a.json', raw`{ "a": "b \"c\" d" }`, ['"a"', raw`"b \"c\" d"`]],
    ['a.py', raw`f(r"a\"b")  # don't`, [raw`"a\"b"`, "# don't"]],
    ['a.php', raw`f('a\'b', "c")`, [raw`'a\'b'`, '"c"']],
    ['a.rb', raw`puts 'a\'b', "c" # it's`, [raw`'a\'b'`, '"c"', "# it's"]],
    ['a.cs', raw`Say("a\"b", @"C:\", 'd')`, [raw`"a\"b"`, "'d'"]],
    ['a.java', raw`say("a \"b\" c");`, [raw`"a \"b\" c"`]],
    ['a.go', 'say("a\\"b", `C:\\`)', [raw`"a\"b"`, '`C:\\`']],
    ['a.sh', raw`echo "a\"b" 'c\' # it's`, [raw`"a\"b"`, raw`'c\'`, "# it's"]],
    ['a.pas', raw`Say('C:\', 'it''s');`, [raw`'C:\'`, "'it'", "'s'"]],
    ['a.sql', raw`values ('C:\\', 'it''s')`, [raw`'C:\\'`, "'it'", "'s'"]],
    ['a.rb', "it can't and don't # a", ['# a']],
    ['a.jl', 'a = b\' * "c"', ['"c"']],
    ['a.rb', `a ? 'b' : "c"`, ["'b'", '"c"']],
    ['a.py', `', ' + a + ' (b c) '`, ["' (b c) '"]],
  ])('in %s, %s keeps its texts (X1)', (path, line, text) => {
    expect(textOf(path, line)).toEqual(text);
  });

  it.each([
    ['a.other', raw`"a" + '\' + "b"`, ['"a"']],
    ['a.other', raw`"a" + ${raw`'\' + `.repeat(20)} "b"`, ['"a"', "'"]],
    ['a.other', raw`"a\" + "b" + 'c'`, [raw`"a\"`, '"']],
  ])('in %s, %s has as text what is text in every reading (X1)', (path, line, text) => {
    expect(textOf(path, line)).toEqual(text);
    expect(
      splitLine(line, path)
        .map((span) => span.text)
        .join(''),
    ).toBe(line);
  });

  it('are read in time linear in the length of a line (X1)', () => {
    const pieces = [
      ...[
        "aa'b'",
        raw`"\"`,
        raw`\"`,
        raw`"\\\"`,
        raw`/'`,
        raw`)/'`,
        "?'",
        "%q('",
        '%q(',
        "q{'",
        '[[',
        '[=[',
        '$a$',
        '$$',
      ],
      ...['R"a(', 'r#"', '"""', '@"', '{a|', '[a|', "''", '`', '~s(', '--[['],
    ];
    const paths = 'cpp cs ex fs hs js kt lua ml nix pl ps1 r rb rs sh sql swift tsx unknown'.split(' ');
    const search = () => {
      for (const piece of pieces) for (const path of paths) splitLine(piece.repeat(10_000 / piece.length), `a.${path}`);
    };
    expect(cpuSeconds(search)).toBeLessThan(10);
  });
});
