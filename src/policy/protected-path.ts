import { firstRule, type PathRule, pathRule } from './path-rule.ts';

/** The same name in every directory. */
function anywhere(name: string, ...files: readonly string[]): PathRule {
  return pathRule(name, ...files.map((file) => `**/${file}`));
}

/**
 * Files that run code, or decide which code is run, without anybody calling it: on an installation, a build, a commit, or
 * when the directory is opened. Whatever they are, a person is always asked, and is told what it is.
 */
const PROTECTED: readonly PathRule[] = [
  pathRule('a file of .github', '.github/**'),
  anywhere(
    'a lock file',
    ...[
      'package-lock.json',
      'npm-shrinkwrap.json',
      'yarn.lock',
      'pnpm-lock.yaml',
      'bun.lock',
      'bun.lockb',
      'deno.lock',
    ],
    ...['cargo.lock', 'go.sum', 'gemfile.lock', 'poetry.lock', 'uv.lock', 'pdm.lock', 'pipfile.lock', 'composer.lock'],
    ...['packages.lock.json', 'gradle.lockfile', 'mix.lock', 'pubspec.lock', 'podfile.lock', 'package.resolved'],
    ...['flake.lock', '.terraform.lock.hcl', 'conan.lock'],
  ),
  anywhere(
    'a package manifest',
    ...['package.json', 'pnpm-workspace.yaml', '.yarnrc*', '.pnpmfile.cjs', 'deno.json', 'deno.jsonc', 'bunfig.toml'],
    ...['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements*.txt', 'pipfile', 'cargo.toml', 'go.mod', 'go.work'],
    ...[
      'gemfile',
      '*.gemspec',
      'composer.json',
      'pom.xml',
      '*.csproj',
      '*.fsproj',
      'directory.build.*',
      'nuget.config',
    ],
    ...['mix.exs', 'pubspec.yaml', 'podfile', 'package.swift', 'flake.nix', 'conanfile.*', 'vcpkg.json'],
  ),
  anywhere(
    'a build script',
    ...['makefile', 'gnumakefile', '*.mk', 'justfile', 'rakefile', 'taskfile.y*ml', 'cmakelists.txt', '*.cmake'],
    ...['*.gradle', '*.gradle.kts', 'gradlew*', 'mvnw*', 'build.rs', 'build.zig', 'build.sbt', 'meson.build', '*.bzl'],
    ...['build.bazel', 'sconstruct', 'binding.gyp', 'gulpfile.*', 'gruntfile.*', '*.config.js', '*.config.cjs'],
    ...['*.config.mjs', '*.config.ts', '*.config.mts', 'noxfile.py', 'tox.ini', 'conftest.py', 'jenkinsfile'],
    ...['*.sh', '*.bash', '*.zsh', '*.fish', '*.ps1', '*.bat', '*.cmd', '.gitlab-ci.yml', '.travis.yml'],
    ...['azure-pipelines.yml', 'bitbucket-pipelines.yml', '.circleci/**', '.buildkite/**', '.drone.yml'],
    ...[
      'action.y*ml',
      '.gitlab/**',
      'configure',
      'configure.ac',
      'makefile.am',
      'makefile.in',
      'workspace',
      'workspace.bazel',
    ],
    ...['module.bazel', 'build', 'buck', '.bazelrc', '.mise.toml', 'mise.toml'],
    ...['.*rc.js', '.*rc.cjs', '.*rc.mjs', '.*rc.ts', 'sitecustomize.py', '*.pth'],
  ),
  anywhere(
    'a hook',
    ...['.husky/**', '.githooks/**', '.hooks/**', 'hooks/pre-*', 'hooks/post-*', 'hooks/commit-msg'],
    ...['.pre-commit-config.yaml', '.pre-commit-hooks.yaml', 'lefthook.y*ml', '.lefthook.y*ml', '.envrc'],
    ...['.vscode/**', '.idea/**', '.gitattributes'],
  ),
  anywhere(
    'a container file',
    ...['dockerfile', 'dockerfile.*', '*.dockerfile', 'containerfile', 'containerfile.*', '.devcontainer/**'],
    ...['docker-compose*.y*ml', 'compose*.y*ml', '.devcontainer.json', 'vagrantfile'],
  ),
];

/** What a protected path is, as a phrase such as `a lock file`; null for one that is not. Compared without case. */
export function protectedAs(path: string): string | null {
  return firstRule(PROTECTED, path);
}
