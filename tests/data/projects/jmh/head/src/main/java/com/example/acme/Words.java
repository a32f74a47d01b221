package com.example.acme;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/** Drops words that were there before. */
public final class Words {
    private Words() {}

    /** The first of each word. */
    public static List<String> unique(List<String> words) {
        return new ArrayList<>(new LinkedHashSet<>(words));
    }
}
