//! JMH in Maven and Gradle projects.

use super::tree::{Tree, join, relative, upwards};
use super::{Findings, Found, both, suite, version};

/// What is asked of JMH: one fork, and times that fit a round.
const ARGUMENTS: &str = "-f 1 -wi 3 -w 1 -i 3 -r 1 -foe false -rf json -rff .bench-bot/jmh.json";

/// Finds modules that depend on JMH.
pub(super) fn find(tree: &Tree) -> Findings {
    let mut findings = Findings::default();
    for folder in tree.folders_with("pom.xml") {
        let path = join(folder, "pom.xml");
        let text = without_comments(&tree.read(&path).unwrap_or_default());
        // The parent of a multi-module project often only says which version its modules use.
        let managed_only = text.contains("<dependencyManagement>") && !has_sources(tree, folder);
        if !text.contains("<artifactId>jmh-core</artifactId>") || managed_only {
            continue;
        }
        if text.contains("jmh-generator-annprocess") {
            findings.found.push(maven(tree, folder, &text));
        } else {
            findings
                .left_out
                .push(format!("{path}: jmh-core without jmh-generator-annprocess makes no benchmark list"));
        }
    }
    let gradle = ["build.gradle", "build.gradle.kts"];
    for (name, folder) in
        gradle.into_iter().flat_map(|name| tree.folders_with(name).into_iter().map(move |f| (name, f)))
    {
        let text = tree.read(&join(folder, name)).unwrap_or_default();
        if text.contains("me.champeau.jmh") && (has_sources(tree, folder) || folder.is_empty()) {
            findings.found.push(self::gradle(tree, folder, name, &text));
        } else if text.contains("jmh-core") {
            findings.left_out.push(format!("{}: JMH without the plugin me.champeau.jmh", join(folder, name)));
        }
    }
    findings
}

fn has_sources(tree: &Tree, folder: &str) -> bool {
    let src = join(folder, "src");
    tree.below(&src).next().is_some()
}

/// The text of an XML file without its comments.
fn without_comments(text: &str) -> String {
    let mut rest = text;
    let mut clean = String::new();
    while let Some((before, after)) = rest.split_once("<!--") {
        clean.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    clean + rest
}

fn maven(tree: &Tree, module: &str, text: &str) -> Found {
    let root = upwards(module).take_while(|above| tree.has(&join(above, "pom.xml"))).last().unwrap_or(module);
    let inside = relative(module, root);
    let at = |path: &str| shell_words::quote(&join(inside, path)).into_owned();
    let wrapper = tree.has(&join(root, "mvnw"));
    let mvn = if wrapper { "sh mvnw" } else { "mvn" };
    let select = if inside.is_empty() { String::new() } else { format!(" -pl {} -am", shell_words::quote(inside)) };
    let shaded = text.contains("maven-shade-plugin") && text.contains("benchmarks");
    let (goals, java) = if shaded {
        (format!("{mvn} -q -B -DskipTests{select} package"), format!("java -jar {}", at("target/benchmarks.jar")))
    } else {
        // Without a jar of its own the benchmark list lies among the classes, of the tests or of the module.
        (
            format!(
                "{mvn} -q -B -DskipTests{select} package dependency:build-classpath \
                 -Dmdep.outputFile=\"$PWD/.bench-bot/classpath\" -Dmdep.includeScope=test"
            ),
            format!(
                "java -cp {}:{}:\"$(cat .bench-bot/classpath)\" org.openjdk.jmh.Main",
                at("target/test-classes"),
                at("target/classes")
            ),
        )
    };
    let mut suite = suite("jmh", root, format!("{java} {ARGUMENTS}"));
    if !inside.is_empty() {
        suite.name = format!("jmh:{module}");
    }
    both(&mut suite, |side| {
        side.setup = Some(format!("set -e\nrm -rf .bench-bot\nmkdir .bench-bot\n{goals}"));
        side.format = "jmh".to_owned();
        side.output = Some(".bench-bot/jmh.json".to_owned());
        side.image = Some(version::image("maven", None, "3"));
    });
    let path = join(module, "pom.xml");
    let mut reasons = vec![format!("{path} depends on jmh-core")];
    reasons.push(
        if shaded { "its shaded jar is benchmarks.jar" } else { "its benchmarks run from the class path" }.to_owned(),
    );
    reasons.push("short mode: one fork, 3 iterations of 1 s a benchmark and round".to_owned());
    Found { suite, headline: format!("JMH benchmarks ({path})"), reasons }
}

fn gradle(tree: &Tree, module: &str, name: &str, text: &str) -> Found {
    let settings =
        |above: &&str| tree.has(&join(above, "settings.gradle")) || tree.has(&join(above, "settings.gradle.kts"));
    let root = upwards(module).find(settings).unwrap_or(module);
    let inside = relative(module, root);
    let wrapper = tree.has(&join(root, "gradlew"));
    let gradle = if wrapper { "sh gradlew" } else { "gradle" };
    let project = if inside.is_empty() { String::new() } else { format!(":{}", inside.replace('/', ":")) };
    let task = shell_words::quote(&format!("{project}:jmhJar")).into_owned();
    let libs = shell_words::quote(&join(inside, "build/libs")).into_owned();
    let mut suite = suite("jmh", root, format!("java -jar .bench-bot/jmh.jar {ARGUMENTS}"));
    if !inside.is_empty() {
        suite.name = format!("jmh:{module}");
    }
    let image = if wrapper {
        version::image("eclipse-temurin", java_version(text).as_deref(), "21")
    } else {
        version::image("gradle", None, "8")
    };
    both(&mut suite, |side| {
        side.setup = Some(format!(
            "set -e\nrm -rf .bench-bot {libs}\nmkdir .bench-bot\n{gradle} --no-daemon --quiet {task}\n\
             cp {libs}/*-jmh.jar .bench-bot/jmh.jar"
        ));
        side.format = "jmh".to_owned();
        side.output = Some(".bench-bot/jmh.json".to_owned());
        side.image = Some(image.clone());
    });
    let path = join(module, name);
    let reasons = vec![
        format!("{path} applies the plugin me.champeau.jmh"),
        "short mode: one fork, 3 iterations of 1 s a benchmark and round".to_owned(),
    ];
    Found { suite, headline: format!("JMH benchmarks ({path})"), reasons }
}

/// The number in `JavaLanguageVersion.of(17)`.
fn java_version(text: &str) -> Option<String> {
    let rest = text.split_once("JavaLanguageVersion.of(")?.1;
    let version = rest.split(')').next()?.trim().trim_matches(['"', '\'']);
    version::is_version(version).then(|| version.to_owned())
}
