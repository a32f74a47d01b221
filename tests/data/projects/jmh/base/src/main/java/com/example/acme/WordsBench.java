package com.example.acme;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

@State(Scope.Benchmark)
public class WordsBench {
    @Param({"2000"})
    public int n;

    private List<String> words;

    @Setup
    public void fill() {
        words = IntStream.range(0, n).mapToObj(i -> "word" + i).toList();
    }

    /** Operations a millisecond: more is better. */
    @Benchmark
    @BenchmarkMode(Mode.Throughput)
    @OutputTimeUnit(TimeUnit.MILLISECONDS)
    public List<String> unique() {
        return Words.unique(words);
    }
}
