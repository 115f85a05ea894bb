import { globMatcher } from './globs.ts';
import { foldLookalikes } from './paths.ts';

/** The built-in rule that forbids every tool this path, compared without case; null if there is none. */
export function findReadDenyRule(path: string): string | null {
  return findPathRule(NEVER_READ, path);
}

/** The built-in rule that forbids writing tools this path, compared without case; null if there is none. */
export function findWriteDenyRule(path: string): string | null {
  return findReadDenyRule(path) ?? findPathRule(NEVER_WRITTEN, path);
}

/** Like T14, for reading, searching and listing. */
export function notReadableOutput(path: string, rule: string): string {
  return `Cannot read '${path}': path may not be read (${rule}).`;
}

/** T14. */
export function notWritableOutput(path: string, rule: string): string {
  return `Cannot write '${path}': path is read-only (${rule}).`;
}

/** The kind of a protected path, such as `a lock file`; null for other paths. Compared without case. */
export function protectedKind(path: string): string | null {
  return findPathRule(PROTECTED_PATHS, path);
}

/** A built-in rule: its name, and the folded paths that it covers. */
type PathRule = { readonly name: string; readonly covers: (folded: string) => boolean };

/** A literal file name in any directory. */
const NAME_IN_ANY_DIRECTORY = /^\*\*\/([^*?/]+)$/;

/** The name of the first rule that covers this path, compared without case and look-alikes; null if there is none. */
function findPathRule(rules: readonly PathRule[], path: string): string | null {
  const folded = foldLookalikes(path);
  return rules.find(({ covers }) => covers(folded))?.name ?? null;
}

/** Globs are lower case and compiled once, because a listing tests every path. Literal names are one set lookup. */
function createPathRule(name: string, ...globs: readonly string[]): PathRule {
  const names = new Set(globs.flatMap((glob) => NAME_IN_ANY_DIRECTORY.exec(glob)?.[1] ?? []));
  const matchers = globs.filter((glob) => !NAME_IN_ANY_DIRECTORY.test(glob)).map(globMatcher);
  const covers = (folded: string): boolean =>
    names.has(folded.slice(folded.lastIndexOf('/') + 1)) || matchers.some((matches) => matches(folded));
  return { name, covers };
}

/** A rule for these names in every directory. */
function anyDirectoryRule(name: string, ...files: readonly string[]): PathRule {
  return createPathRule(name, ...files.map((file) => `**/${file}`));
}

/** Files with secrets, which no tool can show or change. */
const NEVER_READ: readonly PathRule[] = [
  createPathRule('.env*', '**/.env*', '**/.env*/**'),
  createPathRule('*.pem', '**/*.pem'),
  createPathRule('*.key', '**/*.key'),
  createPathRule('id_*', '**/id_*'),
  createPathRule('.npmrc', '**/.npmrc'),
  createPathRule('.netrc', '**/.netrc'),
];

/** Files that control CI, approvals or git itself. Only people change them. */
const NEVER_WRITTEN: readonly PathRule[] = [
  createPathRule('.github/workflows/**', '.github/workflows', '.github/workflows/**'),
  createPathRule('.github/countersign.yml', '.github/countersign.yml'),
  createPathRule('CODEOWNERS', '**/codeowners'),
  createPathRule('.gitmodules', '**/.gitmodules'),
];

/**
 * Files whose code runs on an install, a build, a commit or when an editor opens the directory. Changing them always
 * needs a person's approval, and the proposal names the kind.
 */
const PROTECTED_PATHS: readonly PathRule[] = [
  createPathRule('a file of .github', '.github/**'),
  anyDirectoryRule(
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
  anyDirectoryRule(
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
  anyDirectoryRule(
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
  anyDirectoryRule(
    'a hook',
    ...['.husky/**', '.githooks/**', '.hooks/**', 'hooks/pre-*', 'hooks/post-*', 'hooks/commit-msg'],
    ...['.pre-commit-config.yaml', '.pre-commit-hooks.yaml', 'lefthook.y*ml', '.lefthook.y*ml', '.envrc'],
    ...['.vscode/**', '.idea/**', '.gitattributes'],
  ),
  anyDirectoryRule(
    'a container file',
    ...['dockerfile', 'dockerfile.*', '*.dockerfile', 'containerfile', 'containerfile.*', '.devcontainer/**'],
    ...['docker-compose*.y*ml', 'compose*.y*ml', '.devcontainer.json', 'vagrantfile'],
  ),
];
