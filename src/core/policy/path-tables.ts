import { coveringRows } from './paths.ts';

/** Files that usually have secrets: lower-case globs, in any directory (`files`) or from the root (`rootFiles`). */
type SecretFiles = {
  readonly what: string;
  readonly files: readonly string[];
  readonly rootFiles?: readonly string[];
};

/** No tool reads, lists, searches, writes or moves these files. */
export const SECRET_FILES: readonly SecretFiles[] = [
  {
    what: 'environment variables',
    files: [
      ...['.env*', '.env*/**', '*.env', '.dev.vars*', 'local.settings.json', 'secrets.y*ml', 'secrets.json'],
      ...['.secrets', '.secrets/**', '.renviron'],
    ],
  },
  {
    what: 'keys and certificates',
    files: [
      ...['*.pem', '*.key', 'id_*', '.ssh/**', 'ssh_host_*_key', '*.ppk', '*.p8', '*.p12', '*.pfx', '*.pkcs12'],
      ...['*.jks', '*.keystore', '*.bks', 'keystore.properties', 'key.properties', '*.kdbx', '*.ovpn'],
      ...['.gnupg/**', 'secring.*', '*.agekey'],
    ],
  },
  {
    what: 'logins of package registries',
    files: [
      ...['.npmrc', '.pypirc', '.gem/credentials', '.cargo/credentials', '.cargo/credentials.toml'],
      ...['.composer/auth.json', '.m2/settings.xml', 'settings-security.xml', '.docker/config.json', '.dockercfg'],
      ...['.config/containers/auth.json', '.terraformrc', 'terraform.rc', 'credentials.tfrc.json', '.sentryclirc'],
      ...['.bundle/config', '.config/composer/auth.json'],
    ],
    // Composer's. Further down it is a usual name of translations.
    rootFiles: ['auth.json'],
  },
  {
    what: 'logins of servers and databases',
    files: [
      ...['.netrc', '_netrc', '.git-credentials', '.gitcookies', '.subversion/auth/**', '.config/gh/hosts.yml'],
      ...['.config/glab-cli/config.yml', '.config/hub', '.codex/auth.json', '.credentials.json'],
      ...['.pgpass', 'pgpass.conf', '.my.cnf', '.mylogin.cnf', '.htpasswd', 'wp-config.php', '.ftpconfig'],
      ...['sftp-config.json', '.vscode/sftp.json', 'rclone.conf', '.msmtprc', '.*_history'],
    ],
  },
  {
    what: 'cloud credentials',
    files: [
      ...['.aws/credentials', '.aws/config', '.s3cfg', '.boto', '.oci/config', '.azure/accesstokens.json'],
      ...['.azure/msal_token_cache*', '.config/gcloud/**', 'application_default_credentials.json'],
      ...['credentials.json', 'client_secret*.json', 'service-account*.json', 'service_account*.json'],
      ...['serviceaccount*.json', '*firebase-adminsdk*.json', 'kaggle.json', '.databrickscfg', '.huggingface/token'],
      ...['.clasprc.json'],
    ],
  },
  {
    what: 'clusters and infrastructure',
    files: [
      ...['kubeconfig', 'kubeconfig.*', '*.kubeconfig', '.kube/**', '*.tfstate', '*.tfstate.*', '.vault-token'],
      ...['.vault_pass*', '.vault-pass*', 'secrets.toml', 'secrets.tfvars', 'terraform.tfvars'],
      ...['terraform.tfvars.json', '*.auto.tfvars', '*.auto.tfvars.json'],
    ],
  },
];

/** Files that control CI, approvals or git itself. Globs in `paths` begin at the root. Only people change them. */
const READ_ONLY_FILES: readonly { readonly name: string; readonly paths: readonly string[] }[] = [
  { name: '.github/workflows/**', paths: ['.github/workflows', '.github/workflows/**'] },
  { name: '.github/countersign.yml', paths: ['.github/countersign.yml'] },
  { name: 'CODEOWNERS', paths: ['**/codeowners'] },
  { name: '.gitmodules', paths: ['**/.gitmodules'] },
];

/** The effect that a protected file can have without anyone calling it. */
export type ProtectedEffect = 'runs code' | 'steers coding agents' | 'steers coding agents and runs code';

/** A group of protected files: lower-case globs, in any directory (`files`) or from the root (`rootFiles`). */
type ProtectedFiles = {
  readonly kind: string;
  readonly effect: ProtectedEffect;
  readonly files: readonly string[];
  readonly rootFiles?: readonly string[];
};

/**
 * Files that act on an install, a build, a commit, or when an editor or an agent opens the directory. Changing them
 * always needs a person's approval, and the proposal names the group. The first group that fits counts.
 */
export const PROTECTED_FILES: readonly ProtectedFiles[] = [
  {
    kind: 'a setting of coding agents',
    effect: 'steers coding agents and runs code',
    files: [
      ...['.mcp.json', 'mcp.json', '.claude.json', '.claude/**', '.codex/**', '.cursor/**', '.gemini/**', '.qwen/**'],
      ...['.windsurf/**', '.continue/**', '.continuerc.json', '.opencode/**', 'opencode.json', 'opencode.jsonc'],
      ...['.aider.conf.y*ml', '.crush.json', 'crush.json', '.goose/**', '.kiro/**', '.zed/**', '.devin/**'],
    ],
  },
  {
    kind: 'a file of instructions for coding agents',
    effect: 'steers coding agents',
    files: [
      ...['agents.md', 'agents.*.md', 'agent.md', 'claude.md', 'claude.*.md', 'gemini.md', 'qwen.md', 'crush.md'],
      ...['warp.md', 'replit.md', 'skill.md', 'copilot-instructions.md', '.agents/**', '.agent/**', '.goosehints'],
      ...['.cursorrules', '.windsurfrules', '.clinerules', '.clinerules/**', '.clinerules-*', '.roorules*', '.roo/**'],
      ...['.roomodes', '.kilocode/**', '.junie/**', '.augment/**', '.augment-guidelines', '.trae/**', '.amazonq/**'],
      ...['.openhands/**'],
    ],
    rootFiles: [
      ...['.github/instructions/**', '.github/prompts/**', '.github/chatmodes/**', '.github/agents/**'],
      ...['.github/skills/**', '.rules'],
    ],
  },
  { kind: 'a file of .github', effect: 'runs code', files: [], rootFiles: ['.github/**'] },
  {
    kind: 'a lock file',
    effect: 'runs code',
    files: [
      ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'bun.lockb'],
      ...['deno.lock', 'cargo.lock', 'go.sum', 'go.work.sum', 'gemfile.lock', 'poetry.lock', 'uv.lock', 'pdm.lock'],
      ...['pipfile.lock', 'pylock.toml', 'pylock.*.toml', 'pixi.lock', 'composer.lock', 'packages.lock.json'],
      ...['gradle.lockfile', 'mix.lock', 'pubspec.lock', 'podfile.lock', 'package.resolved', 'flake.lock'],
      ...['.terraform.lock.hcl', 'conan.lock', 'module.bazel.lock', 'renv.lock', 'manifest.toml', 'paket.lock'],
      ...['rebar.lock', 'shard.lock', 'devbox.lock', 'devenv.lock', 'dub.selections.json'],
    ],
  },
  {
    kind: 'a package manifest',
    effect: 'runs code',
    files: [
      ...['package.json', 'pnpm-workspace.yaml', '.yarnrc*', '.pnpmfile.*', 'deno.json', 'deno.jsonc', 'bunfig.toml'],
      ...[
        'lerna.json',
        'rush.json',
        'pyproject.toml',
        'setup.py',
        'setup.cfg',
        'requirements*.txt',
        '*requirements.txt',
      ],
      ...['requirements/*.txt', 'constraints*.txt', 'pipfile', 'environment.y*ml', 'cargo.toml', 'go.mod', 'go.work'],
      ...['gemfile', 'gems.rb', '*.gemspec', 'composer.json', 'pom.xml', '*.csproj', '*.fsproj', '*.vbproj'],
      ...['*.vcxproj', 'directory.build.*', 'nuget.config', 'mix.exs', 'pubspec.yaml', 'podfile', 'package.swift'],
      ...['flake.nix', 'shell.nix', 'default.nix', 'conanfile.*', 'vcpkg.json', 'project.clj', 'deps.edn', '*.cabal'],
      ...['stack.yaml', '*.opam', 'cpanfile', '*.rockspec', '.yarn/**', '.pnp.*', 'pnpmfile.js', 'package.json5'],
      ...['package.yaml', 'bower.json', '.bowerrc', 'patches/*.patch', 'uv.toml', 'poetry.toml', 'hatch.toml'],
      ...['pixi.toml', 'requirements.y*ml', 'rust-toolchain', 'rust-toolchain.toml', '.tool-versions', 'build.zig.zon'],
      ...['*.versions.toml', 'global.json', 'packages.config', 'paket.dependencies', '.config/dotnet-tools.json'],
      ...['cabal.project*', 'dune-project', 'package@swift*.swift', 'cartfile*', 'mintfile', 'puppetfile', 'berksfile'],
      ...['appraisals', 'project.toml', 'description', 'gleam.toml', 'shard.yml', 'dub.json', 'dub.sdl', '*.nimble'],
      ...['devenv.nix', 'devenv.yaml', 'shadow-cljs.edn', 'profiles.clj', 'bb.edn'],
    ],
  },
  {
    kind: 'a build script',
    effect: 'runs code',
    files: [
      ...['makefile', 'gnumakefile', '*.mk', 'justfile', 'rakefile', 'taskfile.y*ml', 'cmakelists.txt', '*.cmake'],
      ...['*.gradle', '*.gradle.kts', 'gradlew*', 'gradle.properties', 'gradle-wrapper.*', 'mvnw*', '.mvn/**'],
      ...[
        'maven-wrapper.*',
        'build.rs',
        '.cargo/config',
        '.cargo/config.toml',
        'build.zig',
        '*.sbt',
        'project/*.scala',
      ],
      ...['project/build.properties', 'build.sc', 'build.xml', 'meson.build', '*.bzl', 'build.bazel', 'sconstruct'],
      ...['sconscript', 'wscript', '*.gyp', '*.gypi', '*.props', '*.targets', '*.rsp', 'rebar.config', 'dune'],
      ...['gulpfile.*', 'gruntfile.*', 'webpack.*.js', '*.config.js', '*.config.cjs', '*.config.mjs', '*.config.ts'],
      ...['*.config.mts', '*.config.cts', '*.conf.js', '*.conf.ts', 'turbo.json', 'nx.json', 'project.json'],
      ...['angular.json', 'nest-cli.json', 'noxfile.py', 'tox.ini', 'fabfile.py', '*.sh', '*.bash'],
      ...['*.zsh', '*.fish', '*.ps1', '*.psm1', '*.bat', '*.cmd', 'configure', 'configure.ac', 'makefile.am'],
      ...['makefile.in', 'action.y*ml', 'workspace', 'workspace.bazel', 'module.bazel', 'build', 'buck', '.buckconfig'],
      ...['.bazelrc', '.mise.toml', 'mise.toml', '.mise/**', '.config/mise/**', '.*rc.js', '.*rc.cjs', '.*rc.mjs'],
      ...['.*rc.ts', 'sitecustomize.py', 'usercustomize.py', '*.pth', 'config.ru', 'guardfile', 'capfile'],
      ...['dangerfile*', 'fastfile', 'appfile', 'pluginfile', 'matchfile', 'deliverfile', 'gymfile', 'scanfile'],
      ...['snapfile', 'fastlane/actions/**', 'brewfile', '.storybook/**', '.eleventy.*'],
      ...['gatsby-*.js', 'gatsby-*.ts', 'gatsby-*.mjs', 'ember-cli-build.js', 'webpack.*.ts', 'jakefile*', 'cakefile'],
      ...['*.rake', 'rakefile.rb', 'thorfile', 'steepfile', '.justfile', '*.just', 'kbuild', '*.ninja', 'makefile.pl'],
      ...['build.pl', 'dist.ini', 'cmakepresets.json', 'cmakeuserpresets.json', 'tools/bazel', '.bazelversion'],
      ...['.bazeliskrc', 'buildsrc/**', 'build.mill', '.sbtopts', '.jvmopts', '*.proj', '*.pbxproj', '*.xcscheme'],
      ...['*.xcconfig', 'setup.hs', 'setup.lhs', 'hie.yaml', 'rebar.config.script', 'magefile.go', 'magefiles/**'],
      ...['dodo.py', 'pavement.py', 'snakefile', '*.smk', '*.nims', 'nim.cfg', 'xmake.lua', 'premake*.lua'],
      ...['deps/build.jl', 'configure.win', 'build.yaml', '.versionrc*', '.release-it.*', '.czrc'],
      ...['.changeset/config.json'],
    ],
  },
  {
    kind: 'a setting of a linter or of tests',
    effect: 'runs code',
    files: [
      ...['.eslintrc*', '.babelrc*', '.prettierrc*', '.stylelintrc*', '.mocharc*', '.nycrc*', '.c8rc*', '.postcssrc*'],
      ...['.lintstagedrc*', '.commitlintrc*', '.releaserc*', '.remarkrc*', '.parcelrc', '.swcrc', 'jest.config.*'],
      ...['conftest.py', 'pytest.ini', '.pytest.ini', '.coveragerc', '.pylintrc', 'pylintrc', 'mypy.ini', '.mypy.ini'],
      ...['.flake8', '.rspec', '.rubocop*.yml', 'phpunit.xml*', 'phpstan.neon*', '.php-cs-fixer*', 'psalm.xml'],
      ...['rector.php', '.golangci.y*ml', '.credo.exs', '.formatter.exs', '.simplecov', '.lintr', '.luacheckrc'],
      ...['.busted', '.proverc', '.yardopts'],
    ],
  },
  {
    kind: 'a CI file',
    effect: 'runs code',
    files: [
      ...['.gitlab-ci.y*ml', '*.gitlab-ci.y*ml', '.gitlab/**', '.travis.yml', '.circleci/**', '.buildkite/**'],
      ...['jenkinsfile*', 'azure-pipelines*.y*ml', '.azure-pipelines/**', '.azuredevops/**', '.pipelines/**'],
      ...['bitbucket-pipelines.y*ml', '.drone.*', '.appveyor.y*ml', 'appveyor.y*ml', '.cirrus.*', '.woodpecker.y*ml'],
      ...['.woodpecker/**', '.semaphore/**', '.teamcity/**', '.gitea/**', '.forgejo/**', '.builds/**', '.build.yml'],
      ...['.tekton/**', '.harness/**', 'wercker.yml', 'codefresh.y*ml', 'bitrise.y*ml', '.scrutinizer.yml'],
      ...['.readthedocs.y*ml', 'buildspec*.y*ml', 'cloudbuild*.y*ml', 'codemagic.y*ml'],
      ...['.taskcluster.yml', '.zuul.y*ml', 'zuul.y*ml', '.zuul.d/**', 'zuul.d/**', '.prow.y*ml', '.prow/**'],
      ...['.packit.y*ml', '.mergify.yml', '.mergify/**', 'renovate.json*', '.renovaterc*'],
    ],
  },
  {
    kind: 'a deployment file',
    effect: 'runs code',
    files: [
      ...['procfile*', 'heroku.yml', 'app.json', 'app.yaml', 'netlify.toml', 'vercel.json', 'now.json', 'fly.toml'],
      ...['render.y*ml', 'railway.json', 'railway.toml', 'nixpacks.toml', 'wrangler.toml', 'wrangler.json*'],
      ...['firebase.json', 'amplify.yml', 'appspec.y*ml', 'serverless.y*ml', 'skaffold.y*ml', 'tiltfile', 'earthfile'],
      ...['.ebextensions/**', '.platform/**', '.replit', '.gitpod.yml', 'devbox.json', 'ansible.cfg', 'pulumi.y*ml'],
      ...['helmfile.y*ml', '.htaccess', '.user.ini', 'web.config', 'crontab'],
    ],
  },
  {
    kind: 'a hook',
    effect: 'runs code',
    files: [
      ...['.husky/**', '.githooks/**', '.hooks/**', 'hooks/pre-*', 'hooks/post-*', 'hooks/commit-msg'],
      ...['hooks/prepare-commit-msg', '.huskyrc*', '.pre-commit-config.y*ml', '.pre-commit-hooks.y*ml'],
      ...['lefthook.y*ml', '.lefthook.y*ml', '.overcommit.yml', '.envrc', '.gitattributes', '.gitconfig'],
      ...['.lfsconfig', '.simple-git-hooks.*', 'simple-git-hooks.*', 'captainhook.json', 'grumphp.y*ml'],
    ],
  },
  {
    kind: 'a start-up file of an editor or a shell',
    effect: 'runs code',
    files: [
      ...['.vscode/**', '.idea/**', '.fleet/**', '*.code-workspace', '*.sublime-project', '.exrc', '.vimrc', '.nvimrc'],
      ...['.nvim.lua', '.lvimrc', '.dir-locals.el', '.bashrc', '.bash_profile', '.profile', '.zshrc', '.zshenv'],
      ...['.gdbinit', '.lldbinit', '.pdbrc', '.irbrc', '.pryrc', '.rprofile', 'renv/activate.r', '.ghci', '.iex.exs'],
      ...['.octaverc', '.ocamlinit', '.erlang', 'user.clj', 'ipython_config.py', 'jupyter_*config.py', '.bash_aliases'],
      ...['.bash_login', '.bash_logout', '.zprofile', '.zlogin', '.zlogout', '.tmux.conf', '.screenrc', '.emacs'],
      ...['.emacs.d/**', '.vim/**', '.dir-locals-2.el', '*.sublime-build'],
    ],
  },
  {
    kind: 'a container file',
    effect: 'runs code',
    files: [
      ...['dockerfile', 'dockerfile.*', '*.dockerfile', 'containerfile', 'containerfile.*', '.devcontainer/**'],
      ...['docker-compose*.y*ml', 'compose*.y*ml', 'docker-bake.*', '.devcontainer.json', 'vagrantfile'],
    ],
  },
];

/** The built-in rule that forbids every tool this path, compared without case and Unicode form; null if there is none. */
export function findReadDenyRule(path: string): string | null {
  return coveringRows(SECRET_ROWS, path)[0]?.row.name ?? null;
}

/** The built-in rule that forbids writing tools this path, in the same way; null if there is none. */
export function findWriteDenyRule(path: string): string | null {
  return findReadDenyRule(path) ?? coveringRows(READ_ONLY_FILES, path)[0]?.row.name ?? null;
}

/** Like T14, for reading, searching and listing. */
export function notReadableOutput(path: string, rule: string): string {
  return `Cannot read '${path}': path may not be read (${rule}).`;
}

/** T14. */
export function notWritableOutput(path: string, rule: string): string {
  return `Cannot write '${path}': path is read-only (${rule}).`;
}

/** The group of a protected path; null for other paths. Compared without case and Unicode form. */
export function findProtectedFiles(path: string): ProtectedFiles | null {
  return coveringRows(PROTECTED_ROWS, path)[0]?.row.group ?? null;
}

/** Each glob is a rule, so that a refusal names it. */
const SECRET_ROWS = SECRET_FILES.flatMap(({ files, rootFiles = [] }) => [
  ...files.map((file) => ({ name: file.replace(/\/\*\*$/, ''), paths: [`**/${file}`] })),
  ...rootFiles.map((file) => ({ name: `/${file}`, paths: [file] })),
]);

const PROTECTED_ROWS = PROTECTED_FILES.map((group) => ({
  group,
  paths: [...group.files.map((file) => `**/${file}`), ...(group.rootFiles ?? [])],
}));
