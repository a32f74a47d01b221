//! JMH with Maven. Gradle is not tried: neither it nor its JMH plugin is in a registry of packages, so that only the files
//! of such projects are tested, with the detection.

use crate::project::Project;
use bench_bot::unit::Direction;

#[test]
#[ignore = "needs a JDK, Maven, Maven Central and some minutes; run by .ci/full"]
fn jmh_benchmarks_of_a_maven_module_are_found_and_measured() {
    let measured = Project::new("jmh").measure();
    let name = "WordsBench.unique/n=2000";
    measured.improved(name, "ops/s");
    assert_eq!(measured.row(name, "ops/s").better, Some(Direction::Higher));
    assert_eq!(measured.row(name, "ops/s").benchmark.package, "com.example.acme");
}
