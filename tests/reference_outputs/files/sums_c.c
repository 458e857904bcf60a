/* A decision diagram written by oddlearn, in C99: no allocation, nothing to link.

   A row is an array of oddlearn_N_FEATURES numbers, in the order of oddlearn_feature_name(0), ...; a name such
   as "colour = red" stands for 1 where the column holds that category, else 0.

   oddlearn_predict returns the class, counted from 0, whose text is oddlearn_class_label(class).
   oddlearn_predict_proba writes oddlearn_N_CLASSES probabilities and returns the class as well.
   A missing value is a NaN. A node that compares one number has a side for it; where it is a term of a
   weighted sum, both functions return -1 and write nothing: fill it in first.

   Compile without -ffast-math and the like: where a row lies exactly on a threshold, the class depends on
   the rounding of each sum. */

int oddlearn_predict(const double *x);
int oddlearn_predict_proba(const double *x, double *probability);
const char *oddlearn_class_label(int code);
const char *oddlearn_feature_name(int feature);

enum { oddlearn_N_NODES = 5, oddlearn_N_FEATURES = 4, oddlearn_N_CLASSES = 4 };

static const char *const oddlearn_label[] = {
    "0",
    "1",
    "2",
    "3"
};

static const char *const oddlearn_name[] = {
    "m0",
    "m1",
    "m2",
    "m3"
};

static const int oddlearn_end_class[] = {
    1,
    1,
    3,
    0,
    2
};

static const double oddlearn_end_probability[][4] = {
    {0x1.9a641970d1153p-3 /* 0.20038623691119514 */, 0x1.670433b23bfd8p-1 /* 0.7012039332457745 */, 0x1.69d04414fc759p-4 /* 0.08833338350794175 */, 0x1.4a2f5bbc0b9eep-7 /* 0.010076446335088609 */},
    {0x1.9e8bdb060c76ap-5 /* 0.05060379770328789 */, 0x1.c8959f524f2c9p-1 /* 0.8917665279364765 */, 0x1.67bf7e532e7cbp-6 /* 0.021957276691615662 */, 0x1.243a70ab69812p-5 /* 0.03567239766861986 */},
    {0x1.51b3d24efe7a5p-5 /* 0.041223440894057085 */, 0x1.d4108129b90a7p-2 /* 0.4570942098346315 */, 0x1.6d4202369ff5dp-5 /* 0.04458713943767976 */, 0x1.d410c44593277p-2 /* 0.45709520983363155 */},
    {0x1.b865a020a6316p-1 /* 0.8601503410201043 */, 0x1.8aa7e3439087cp-6 /* 0.024087879121232877 */, 0x1.5addcf4812f32p-4 /* 0.08468419045783263 */, 0x1.fd2cdb875d81cp-6 /* 0.03107758940083026 */},
    {0x1.5108a6842dc8dp-3 /* 0.1645672806823523 */, 0x1.f9a71b2e912dfp-6 /* 0.030862595124079625 */, 0x1.978d90aee51d8p-1 /* 0.7960019315237856 */, 0x1.18c335a6b9b95p-7 /* 0.008568192669782518 */}
};

static const int oddlearn_child[][3] = {
    {1, 2, -1},
    {4, 5, -1},
    {4, 3, -1},
    {6, 7, -1},
    {8, 9, -1}
};

static const double oddlearn_threshold[] = {
    1.0,
    800.0,
    -0x1.a851eb851eb85p+2 /* -6.63 */,
    0x1.0cccccccccccdp+2 /* 4.2 */,
    0x1.eb851eb851eb8p-6 /* 0.03 */
};

static const int oddlearn_first_term[] = {
    0,
    4,
    8,
    12,
    15,
    18
};

static const int oddlearn_term_feature[] = {
    0,
    1,
    2,
    3,
    0,
    1,
    2,
    3,
    0,
    1,
    2,
    3,
    0,
    1,
    2,
    0,
    1,
    3
};

static const double oddlearn_term_weight[] = {
    4.0,
    2.0,
    0x1.999999999999ap-4 /* 0.1 */,
    -0x1.cac083126e979p-8 /* -0.007 */,
    -29.0,
    -11.0,
    8.0,
    -1.0,
    5.0,
    -1.0,
    0x1.70a3d70a3d70ap-4 /* 0.09 */,
    -0x1.89374bc6a7efap-9 /* -0.003 */,
    5.0,
    0x1.999999999999ap-4 /* 0.1 */,
    0x1.47ae147ae147bp-6 /* 0.02 */,
    1.0,
    0x1.999999999999ap-4 /* 0.1 */,
    -0x1.4f8b588e368f1p-16 /* -2e-05 */
};

/* the number that a node compares with its threshold: a sum, one term after the other */
static double oddlearn_key(const double *x, int node)
{
    double total = 0.0;
    int term;
    for (term = oddlearn_first_term[node]; term < oddlearn_first_term[node + 1]; ++term) {
        /* volatile: no compiler may fuse the product with the sum, which would round differently */
        volatile double product = oddlearn_term_weight[term] * x[oddlearn_term_feature[term]];
        total += product;
    }
    return total;
}

/* the end a row arrives at, -1 after a sum with a NaN; a state is a node, or N_NODES + end */
static int oddlearn_end(const double *x)
{
    int state = 0;
    while (state < oddlearn_N_NODES) {
        const double key = oddlearn_key(x, state);
        state = oddlearn_child[state][key != key ? 2 : key >= oddlearn_threshold[state]];
        if (state < 0)
            return -1;
    }
    return state - oddlearn_N_NODES;
}

int oddlearn_predict(const double *x)
{
    const int end = oddlearn_end(x);
    return end < 0 ? -1 : oddlearn_end_class[end];
}

int oddlearn_predict_proba(const double *x, double *probability)
{
    const int end = oddlearn_end(x);
    int code;
    if (end < 0)
        return -1;
    for (code = 0; code < oddlearn_N_CLASSES; ++code)
        probability[code] = oddlearn_end_probability[end][code];
    return oddlearn_end_class[end];
}

const char *oddlearn_class_label(int code)
{
    return code >= 0 && code < oddlearn_N_CLASSES ? oddlearn_label[code] : "";
}

const char *oddlearn_feature_name(int feature)
{
    return feature >= 0 && feature < oddlearn_N_FEATURES ? oddlearn_name[feature] : "";
}
