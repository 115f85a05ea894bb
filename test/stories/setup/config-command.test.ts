import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-in-force-'));
const file = join(folder, 'countersign.yml');
const lists = `protected_paths: ["deploy/**"]
require:
  - { paths: ["**/*.sql"], approvers: admin }
rules:
  - { tools: [edit_file], paths: ["legal/**"], decide: deny }
`;
writeFileSync(file, `expiry: 2d\nmodels: [large]\n${lists}ceilings:\n  required_approvals: 2\n`);
afterAll(() => rmSync(folder, { recursive: true }));

const stage = stageForAll({ environment: { CONFIG_FILE: file } });

describe('/config', () => {
  it('shows every setting in force with where it comes from, and starts nothing (S127)', async () => {
    const { ana, bot, configures } = await stage().tell();
    await configures(
      'approvers: maintain\nrequired_approvals: 1\nstanding_approvals: path\nmodel: large\ncontext_files: ["a|b.md"]\n',
    );
    await ana.says('/countersign /config');
    const answer = bot.answer();
    expect(answer).toContain('| `approvers` | `maintain` | `.github/countersign.yml` |');
    expect(answer).toContain('| `required_approvals` | `2` | the operator’s bound |');
    expect(answer).toContain('| `standing_approvals` | `path` | `.github/countersign.yml` |');
    expect(answer).toContain('| `expiry` | `2d` | operator |');
    expect(answer).toContain('| `require_non_author` | `false` | default |');
    expect(answer).toContain('`["a\\u{7C}b.md"]`');
    expect(answer).toContain('| `model` | `large` | `.github/countersign.yml` |');
    expect(answer).toContain('| `limits.turns` | `60` | default |');
    expect(bot.proposals()).toEqual([]);
    expect(answer.match(/^\*\*.*\*\*$/gm)).toEqual([
      ...['**Who may approve**', '**Which files**', '**How it is decided**', '**The agent and its commits**'],
      '**Limits**',
    ]);
  });

  it('shows the lists of both files, each with its source, and says that both hold (S127)', async () => {
    const { ana, bot, configures } = await stage().tell();
    await configures(
      'protected_paths: ["infra/**"]\nrequire: [{ paths: ["src/**"], approvals: 2 }]\nrules: [{ tools: [read_file], paths: ["x/**"], decide: ask }]\n',
    );
    await ana.says('/countersign /config');
    const answer = bot.answer();
    const [repository, operator] = ['`.github/countersign.yml`', 'operator'];
    expect(answer).toContain(`| \`protected_paths\` | \`["deploy/**"]\` | ${operator} |`);
    expect(answer).toContain(`| \`protected_paths\` | \`["infra/**"]\` | ${repository} |`);
    expect(answer).toContain(`| \`require\` | \`[{"paths":["**/*.sql"],"approvers":"admin"}]\` | ${operator} |`);
    expect(answer).toContain(`| \`require\` | \`[{"paths":["src/**"],"approvals":2}]\` | ${repository} |`);
    expect(answer).toContain('"decide":"deny"}]` | operator |');
    expect(answer).toContain('Both lists of `require` hold, and the stricter one counts.');
    expect(answer).toContain('Both lists of `rules` and `protected_paths` hold, and the stricter one counts.');
    await configures('expiry: 3d\n');
    await ana.says('/countersign /config');
    expect(bot.answer()).toContain(`| \`require\` | \`[{"paths":["**/*.sql"],"approvers":"admin"}]\` | ${operator} |`);
    expect(bot.answer()).not.toContain('Both lists');
  });

  it('lists the entries of a long list one a line (S127)', async () => {
    const { ana, bot, configures } = await stage().tell();
    const paths = ['docs/a long name of a file.md', 'docs/another long name of a file.md', '`@acme/all` | .md'];
    await configures(`context_files: ${JSON.stringify(paths)}\n`);
    await ana.says('/countersign /config');
    expect(bot.answer()).toContain('| `context_files` | 3 entries, listed below | `.github/countersign.yml` |');
    expect(bot.answer()).toContain(
      '`context_files`, from `.github/countersign.yml`:\n\n1. `docs/a long name of a file.md`\n1. `docs/another',
    );
    expect(bot.answer()).toContain('1. `` `@acme/all` | .md ``');
  });

  it('of a broken file names every problem, and shows what holds until it is fixed (S127, J3)', async () => {
    const { ana, bot, configures } = await stage().tell();
    await configures('approvers: writers\nexpiry: 1h\n');
    await ana.says('/countersign /config');
    expect(bot.answer()).toContain('line 1: approvers must be write, maintain, admin or codeowners, not "writers"');
    expect(bot.answer()).toContain('| `expiry` | `2d` | operator |');
    expect(bot.answer()).toContain('no approval takes effect');
  });

  it('answers the pull request’s author too, and nobody else without write access (S67, S69)', async () => {
    const { bot, carl, stranger } = await stage().tell();
    await carl.says('/countersign /config');
    expect(bot.answer()).toContain('| `required_approvals` | `2` | the operator’s bound |');
    await stranger.says('/countersign /config');
    expect(bot.answer()).toContain('needs write access to this repository, unless you opened the pull request');
    expect(bot.answers()).toHaveLength(2);
  });
});
