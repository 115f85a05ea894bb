import { describe, expect, it } from 'vitest';
import { findProtectedFiles, findReadDenyRule, findWriteDenyRule } from '../../../../src/core/policy/path-tables.ts';

describe('files that run code', () => {
  it.each<[string, readonly string[]]>([
    [
      'a package manifest',
      [
        ...[
          '.yarn/releases/yarn-4.9.1.cjs',
          '.yarn/plugins/p.cjs',
          '.yarn/patches/a.patch',
          '.pnp.cjs',
          '.pnp.loader.mjs',
        ],
        ...['.pnpmfile.mjs', 'pnpmfile.js', 'package.yaml', 'bower.json', '.bowerrc', 'patches/left-pad+1.3.0.patch'],
        ...['rust-toolchain', 'rust-toolchain.toml', '.tool-versions', 'gradle/libs.versions.toml', 'global.json'],
        ...['.config/dotnet-tools.json', 'uv.toml', 'pixi.toml', 'build.zig.zon', 'cabal.project.local', 'shard.yml'],
        ...[
          'Package@swift-5.9.swift',
          'Puppetfile',
          'Project.toml',
          'DESCRIPTION',
          'requirements.yml',
          'Cartfile.private',
        ],
      ],
    ],
    ['a lock file', ['renv.lock', 'MODULE.bazel.lock', 'Manifest.toml', 'paket.lock', 'devbox.lock', 'shard.lock']],
    [
      'a build script',
      [
        ...[
          'tools/bazel',
          'web/tools/bazel',
          '.bazelversion',
          '.bazeliskrc',
          'lib/tasks/db.rake',
          'binding.gyp',
          'x.gyp',
        ],
        ...[
          '.storybook/main.ts',
          '.storybook/preview.js',
          '.eleventy.js',
          'Jakefile.js',
          'Kbuild',
          'CMakePresets.json',
        ],
        ...[
          'buildSrc/src/main/kotlin/x.kt',
          'Makefile.PL',
          'Setup.hs',
          'magefile.go',
          'dodo.py',
          'Snakefile',
          '.justfile',
        ],
        ...[
          'App.xcodeproj/project.pbxproj',
          'gatsby-node.js',
          'ember-cli-build.js',
          'config.nims',
          '.sbtopts',
          'build.mill',
        ],
        ...['fastlane/Appfile', 'Thorfile', 'rakefile.rb', 'hie.yaml', 'rebar.config.script'],
      ],
    ],
    [
      'a setting of a linter or of tests',
      [
        '.credo.exs',
        '.formatter.exs',
        '.simplecov',
        '.lintr',
        '.luacheckrc',
        '.busted',
        '.proverc',
        '.rubocop_todo.yml',
      ],
    ],
    ['a CI file', ['.taskcluster.yml', '.zuul.yaml', 'zuul.d/jobs.yaml', '.prow.yaml', '.packit.yaml', '.mergify.yml']],
    [
      'a deployment file',
      ['ansible.cfg', 'infra/ansible.cfg', 'Pulumi.yaml', 'helmfile.yaml', '.htaccess', '.user.ini'],
    ],
    ['a hook', ['.lfsconfig', '.simple-git-hooks.json', 'captainhook.json', 'grumphp.yml']],
    [
      'a start-up file of an editor or a shell',
      [
        ...[
          '.Rprofile',
          'analysis/.Rprofile',
          'renv/activate.R',
          '.ghci',
          '.iex.exs',
          '.octaverc',
          '.ocamlinit',
          '.erlang',
        ],
        ...['.bash_aliases', '.zprofile', '.tmux.conf', '.emacs.d/init.el', '.vim/vimrc', '.dir-locals-2.el'],
        ...['jupyter_server_config.py', 'x.sublime-build'],
      ],
    ],
  ])('%s: %j (X16)', (kind, paths) => {
    for (const path of paths) {
      expect([path, findProtectedFiles(path)?.kind]).toEqual([path, kind]);
      expect(findProtectedFiles(path)?.effect).toBe('runs code');
      expect(findWriteDenyRule(path)).toBeNull();
    }
  });

  it('ordinary source is not protected (X16)', () => {
    for (const path of [
      ...[
        'src/rake.ts',
        'tools/bazel/readme.md',
        'yarn/releases/notes.md',
        'storybook/main.ts',
        'src/gyp.ts',
        'ghci.md',
      ],
      ...[
        'lib/ansible.ts',
        'rprofile.R',
        'app/tasks.py',
        'manage.py',
        'main.tf',
        'docs/description.md',
        'src/project.ts',
      ],
      ...[
        'src/setup.ts',
        'toolchain.toml',
        'emacs.md',
        'patches/readme.md',
        'config/runtime.exs',
        'fastlane/metadata/en.txt',
      ],
      ...['.python-version', '.nvmrc', 'index.js', 'htaccess.md', 'zuul.ts'],
    ])
      expect([path, findProtectedFiles(path)]).toEqual([path, null]);
  });
});

describe('files with credentials', () => {
  it.each([
    ['.bundle/config', '.bundle/config'],
    ['web/.Bundle/Config', '.bundle/config'],
    ['auth.json', '/auth.json'],
    ['Auth.JSON', '/auth.json'],
    ['.codex/auth.json', '.codex/auth.json'],
    ['.claude/.credentials.json', '.credentials.json'],
    ['.clasprc.json', '.clasprc.json'],
    ['infra/terraform.tfvars', 'terraform.tfvars'],
    ['terraform.tfvars.json', 'terraform.tfvars.json'],
    ['prod.auto.tfvars', '*.auto.tfvars'],
    ['prod.auto.tfvars.json', '*.auto.tfvars.json'],
    ['.secrets', '.secrets'],
    ['.secrets/token', '.secrets'],
    ['.Renviron', '.renviron'],
    ['keys/prod.agekey', '*.agekey'],
    ['.config/glab-cli/config.yml', '.config/glab-cli/config.yml'],
    ['.config/hub', '.config/hub'],
  ])('%s is read by no tool (%s) (X10)', (path, rule) => {
    expect(findReadDenyRule(path)).toBe(rule);
  });

  it('ordinary source stays readable (X10)', () => {
    for (const path of [
      ...[
        'locales/en/auth.json',
        'src/auth.json',
        'bundle/config',
        '.bundle/plugin/index',
        'secrets/prod.yml',
        '.flaskenv',
      ],
      ...[
        'variables.tf',
        'prod.tfvars',
        'terraform.tfvars.example',
        '.secrets.baseline',
        'src/secrets/index.ts',
        'token.json',
      ],
      ...['.clasp.json', 'config/database.yml', 'gradle.properties', '.config/hub/readme.md', '.yarnrc.yml'],
    ])
      expect([path, findReadDenyRule(path)]).toEqual([path, null]);
  });
});
