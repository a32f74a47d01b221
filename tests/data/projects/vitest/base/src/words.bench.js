import { bench, describe } from 'vitest'
import { find, unique } from './words.js'

const short = { time: 100, warmupTime: 20 }
const words = Array.from({ length: 2000 }, (_, i) => `word${i}`)
const index = new Map(words.map((word, i) => [word, i]))

describe('words', () => {
  bench('unique | all different', () => void unique(words), short)
  bench('find', () => void find(index, 'word1999'), short)
})
