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

enum { oddlearn_N_NODES = 8, oddlearn_N_FEATURES = 10, oddlearn_N_CLASSES = 2 };

static const char *const oddlearn_label[] = {
    "no",
    "yes"
};

static const char *const oddlearn_name[] = {
    "income",
    "purpose = car",
    "purpose = home & garden",
    "purpose = other <1>",
    "purpose = studies",
    "purpose is missing",
    "since",
    "phone",
    "phone is missing",
    "debt"
};

static const int oddlearn_end_class[] = {
    1,
    0,
    1,
    0,
    1,
    1,
    0
};

static const double oddlearn_end_probability[][2] = {
    {0x1.fe6cfbed00865p-5 /* 0.06230782703643526 */, 0x1.e01930412ff79p-1 /* 0.9376921729635647 */},
    {0x1.d82c6775fa61ap-1 /* 0.9222137767330338 */, 0x1.3e9cc4502cf28p-4 /* 0.07778622326696605 */},
    {0x1.04bbe90f0dc54p-4 /* 0.063655767808869 */, 0x1.df6882de1e474p-1 /* 0.9363442321911308 */},
    {0x1.cdbec82725e6ep-1 /* 0.9018461749828484 */, 0x1.9209bec6d0c8fp-4 /* 0.09815382501715163 */},
    {0x1.161b7f2855d0ep-4 /* 0.06789731665536555 */, 0x1.dd3c901af545ep-1 /* 0.9321026833446344 */},
    {0x1.d1ad315178814p-2 /* 0.4547622400260718 */, 0x1.1729675743bf5p-1 /* 0.5452377599739281 */},
    {0x1.dd22abda2cf72p-1 /* 0.9319051460101788 */, 0x1.16eaa12e98477p-4 /* 0.06809485398982128 */}
};

static const int oddlearn_child[][3] = {
    {2, 1, 1},
    {4, 3, 4},
    {4, 8, 4},
    {5, 7, 5},
    {5, 6, 6},
    {9, 10, 10},
    {11, 12, 12},
    {13, 14, 14}
};

static const double oddlearn_threshold[] = {
    16290.0,
    32.0,
    0x1.0000000000000p-1 /* 0.5 */,
    0x1.0000000000000p-1 /* 0.5 */,
    -33.0,
    35.0,
    0x1.6800000000000p+4 /* 22.5 */,
    17100.0
};

static const int oddlearn_node_feature[] = {
    6,
    0,
    2,
    1,
    9,
    0,
    0,
    6
};

/* the number that a node compares with its threshold */
static double oddlearn_key(const double *x, int node)
{
    return x[oddlearn_node_feature[node]];
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
