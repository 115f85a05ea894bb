import { describe, expect, it } from 'vitest';
import { findProtectedFiles, findReadDenyRule } from '../../../../src/core/policy/path-tables.ts';

describe('files that run code', () => {
  it('ordinary source is not protected (X16)', () => {
    for (const path of [
      ...['src/rake.ts', 'tools/bazel/readme.md', 'yarn/releases/notes.md', 'storybook/main.ts', 'src/gyp.ts'],
      ...['ghci.md', 'lib/ansible.ts', 'rprofile.R', 'app/tasks.py', 'manage.py', 'main.tf', 'docs/description.md'],
      ...['src/project.ts', 'src/setup.ts', 'toolchain.toml', 'emacs.md', 'patches/readme.md'],
      ...['config/runtime.exs', 'fastlane/metadata/en.txt', '.python-version', '.nvmrc', 'index.js', 'htaccess.md'],
      ...['zuul.ts'],
    ])
      expect([path, findProtectedFiles(path)]).toEqual([path, null]);
  });
});

describe('files with credentials', () => {
  it.each([
    ['.bundle/config', '.bundle/config'],
    ['web/.Bundle/Config', '.bundle/config'],
    ['auth.json', '/auth.json'],
    ['.claude/.credentials.json', '.credentials.json'],
    ['infra/terraform.tfvars', 'terraform.tfvars'],
    ['prod.auto.tfvars', '*.auto.tfvars'],
    ['.secrets/token', '.secrets'],
  ])('%s is read by no tool (%s) (X10)', (path, rule) => {
    expect(findReadDenyRule(path)).toBe(rule);
  });

  it('ordinary source stays readable (X10)', () => {
    for (const path of [
      ...['locales/en/auth.json', 'src/auth.json', 'bundle/config', '.bundle/plugin/index', 'secrets/prod.yml'],
      ...['.flaskenv', 'variables.tf', 'prod.tfvars', 'terraform.tfvars.example', '.secrets.baseline'],
      ...['src/secrets/index.ts', 'token.json', '.clasp.json', 'config/database.yml', 'gradle.properties'],
      ...['.config/hub/readme.md', '.yarnrc.yml'],
    ])
      expect([path, findReadDenyRule(path)]).toEqual([path, null]);
  });
});
